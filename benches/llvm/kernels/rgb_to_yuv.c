/* Colours to brightness and two differences, in planes of bytes: a loop for each plane. */
#include "../bench.h"

ENTRY void rgb_to_yuv(const uint8_t *restrict r, const uint8_t *restrict g, const uint8_t *restrict b, uint8_t *restrict y, uint8_t *restrict u,
                      uint8_t *restrict v, int pixels)
{
    for (int i = 0; i < pixels; i++)
        y[i] = (uint8_t)((66 * r[i] + 129 * g[i] + 25 * b[i] + 128) / 256 + 16);
    for (int i = 0; i < pixels; i++)
        u[i] = (uint8_t)((-38 * r[i] - 74 * g[i] + 112 * b[i] + 32896) / 256);
    for (int i = 0; i < pixels; i++)
        v[i] = (uint8_t)((112 * r[i] - 94 * g[i] - 18 * b[i] + 32896) / 256);
}

static uint8_t *r, *g, *b, *y, *u, *v;
static int pixels;

void setup(size_t bytes)
{
    pixels = (int)(bytes / 6);
    r = bench_bytes((size_t)pixels);
    g = bench_bytes((size_t)pixels);
    b = bench_bytes((size_t)pixels);
    y = bench_bytes((size_t)pixels);
    u = bench_bytes((size_t)pixels);
    v = bench_bytes((size_t)pixels);
}

void kernel(void) { rgb_to_yuv(r, g, b, y, u, v, pixels); }
