/* Edges: both derivatives of an image of bytes, their magnitude, and a threshold, in a loop nest each. */
#include "../bench.h"
#include <stdlib.h>

static int16_t *gx, *gy;
static uint16_t *magnitude;

ENTRY void sobel(const uint8_t *restrict in, int16_t *restrict dx, int16_t *restrict dy, uint16_t *restrict mag, uint8_t *restrict edges,
                 size_t width, size_t height, int threshold)
{
    for (size_t y = 1; y + 1 < height; ++y)
        for (size_t x = 1; x + 1 < width; ++x) {
            const uint8_t *p = in + y * width + x;
            dx[y * width + x] = (int16_t)(p[1 - (ptrdiff_t)width] - p[-1 - (ptrdiff_t)width] + 2 * (p[1] - p[-1]) + p[1 + width] - p[width - 1]);
        }
    for (size_t y = 1; y + 1 < height; ++y)
        for (size_t x = 1; x + 1 < width; ++x) {
            const uint8_t *p = in + y * width + x;
            dy[y * width + x] = (int16_t)(p[width - 1] + 2 * p[width] + p[width + 1] - p[-1 - (ptrdiff_t)width] - 2 * p[-(ptrdiff_t)width] - p[1 - (ptrdiff_t)width]);
        }
    for (size_t y = 1; y + 1 < height; ++y)
        for (size_t x = 1; x + 1 < width; ++x)
            mag[y * width + x] = (uint16_t)(abs(dx[y * width + x]) + abs(dy[y * width + x]));
    for (size_t y = 1; y + 1 < height; ++y)
        for (size_t x = 1; x + 1 < width; ++x)
            edges[y * width + x] = mag[y * width + x] > threshold ? 255 : 0;
}

static uint8_t *in, *edges;
static int w, h;

void setup(size_t bytes)
{
    bench_image(bytes / 8, &w, &h);
    in = bench_bytes((size_t)w * h);
    edges = bench_bytes((size_t)w * h);
    gx = bench_shorts((size_t)w * h);
    gy = bench_shorts((size_t)w * h);
    magnitude = (uint16_t *)bench_shorts((size_t)w * h);
}

void kernel(void) { sobel(in, gx, gy, magnitude, edges, w, h, 400); }
