/* Unsharp mask: a blur in two passes, the difference to the original, and a limited amount of it added, each a function. */
#include "../bench.h"

static void blur_rows(float *restrict dst, const float *restrict src, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 1; x < w - 1; x++)
            dst[y * w + x] = 0.25f * src[y * w + x - 1] + 0.5f * src[y * w + x] + 0.25f * src[y * w + x + 1];
}

static void blur_columns(float *restrict dst, const float *restrict src, int w, int h)
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            dst[y * w + x] = 0.25f * src[(y - 1) * w + x] + 0.5f * src[y * w + x] + 0.25f * src[(y + 1) * w + x];
}

static void subtract(float *restrict dst, const float *restrict a, const float *restrict b, int w, int h)
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            dst[y * w + x] = a[y * w + x] - b[y * w + x];
}

static void add_limited(float *restrict dst, const float *restrict src, const float *restrict detail, int w, int h, float weight, float limit)
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            float d = weight * detail[y * w + x];
            if (d > limit)
                d = limit;
            if (d < -limit)
                d = -limit;
            dst[y * w + x] = src[y * w + x] + d;
        }
}

ENTRY void unsharp(float *restrict out, const float *restrict in, float *restrict t1, float *restrict t2, float *restrict t3, int w, int h)
{
    blur_rows(t1, in, w, h);
    blur_columns(t2, t1, w, h);
    subtract(t3, in, t2, w, h);
    add_limited(out, in, t3, w, h, 1.5f, 32.0f);
}

static float *in, *out, *t1, *t2, *t3;
static int w, h;

void setup(size_t bytes)
{
    bench_image(bytes / (5 * sizeof(float)), &w, &h);
    in = bench_floats((size_t)w * h, 0, 255);
    out = bench_floats((size_t)w * h, 0, 1);
    t1 = bench_floats((size_t)w * h, 0, 1);
    t2 = bench_floats((size_t)w * h, 0, 1);
    t3 = bench_floats((size_t)w * h, 0, 1);
}

void kernel(void) { unsharp(out, in, t1, t2, t3, w, h); }
