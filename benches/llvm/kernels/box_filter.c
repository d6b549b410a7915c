/* Box filter of any radius by running sums: rows, then columns. What a pixel is depends on the one before. */
#include "../bench.h"

static void box_row(const float *src, float *dst, int n, int r)
{
    float sum = 0.0f;
    for (int i = 0; i < r; i++)
        sum += src[i];
    for (int i = 0; i < n; i++) {
        if (i + r < n)
            sum += src[i + r];
        if (i - r - 1 >= 0)
            sum -= src[i - r - 1];
        dst[i] = sum;
    }
}

ENTRY void box_filter(const float *in, float *rows, float *sums, float *out, int w, int h, int r)
{
    for (int y = 0; y < h; y++)
        box_row(in + y * w, rows + y * w, w, r);

    for (int x = 0; x < w; x++)
        sums[x] = 0.0f;
    for (int y = 0; y < r; y++)
        for (int x = 0; x < w; x++)
            sums[x] += rows[y * w + x];
    float scale = 1.0f / (float)((2 * r + 1) * (2 * r + 1));
    for (int y = 0; y < h; y++) {
        if (y + r < h)
            for (int x = 0; x < w; x++)
                sums[x] += rows[(y + r) * w + x];
        if (y - r - 1 >= 0)
            for (int x = 0; x < w; x++)
                sums[x] -= rows[(y - r - 1) * w + x];
        for (int x = 0; x < w; x++)
            out[y * w + x] = sums[x] * scale;
    }
}

static float *in, *rows, *sums, *out;
static int w, h;

void setup(size_t bytes)
{
    bench_image(bytes / (3 * sizeof(float)), &w, &h);
    in = bench_floats((size_t)w * h, 0, 1);
    rows = bench_floats((size_t)w * h, 0, 1);
    out = bench_floats((size_t)w * h, 0, 1);
    sums = bench_floats((size_t)w, 0, 1);
}

void kernel(void) { box_filter(in, rows, sums, out, w, h, 2); }
