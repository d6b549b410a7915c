/* Smooths a grey image over 3 x 3 pixels and sharpens what comes out; the smoothed image is the function's own. */
#include "../bench.h"
#include <stdlib.h>

ENTRY void blur_sharpen(const float *restrict in, float *restrict out, int w, int h, float amount)
{
    float *blurred = malloc(sizeof(float) * (size_t)w * (size_t)h);

    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            blurred[y * w + x] = (in[(y - 1) * w + x - 1] + in[(y - 1) * w + x] + in[(y - 1) * w + x + 1]
                                  + in[y * w + x - 1] + in[y * w + x] + in[y * w + x + 1]
                                  + in[(y + 1) * w + x - 1] + in[(y + 1) * w + x] + in[(y + 1) * w + x + 1]) / 9.0f;

    for (int y = 2; y < h - 2; y++)
        for (int x = 2; x < w - 2; x++) {
            float around = blurred[(y - 1) * w + x] + blurred[(y + 1) * w + x] + blurred[y * w + x - 1] + blurred[y * w + x + 1];
            out[y * w + x] = blurred[y * w + x] + amount * (4.0f * blurred[y * w + x] - around);
        }

    free(blurred);
}

static float *in, *out;
static int w, h;

void setup(size_t bytes)
{
    bench_image(bytes / (3 * sizeof(float)), &w, &h);
    in = bench_floats((size_t)w * h, 0, 255);
    out = bench_floats((size_t)w * h, 0, 1);
}

void kernel(void) { blur_sharpen(in, out, w, h, 0.4f); }
