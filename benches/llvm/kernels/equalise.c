/* Equalises the histogram of an image: counts, their running sum, a table, and the image through the table. Little of it is alike. */
#include "../bench.h"

ENTRY void equalise(const uint8_t *restrict in, uint8_t *restrict out, int pixels)
{
    int count[256], total[256];
    uint8_t table[256];
    for (int i = 0; i < 256; i++)
        count[i] = 0;
    for (int i = 0; i < pixels; i++)
        count[in[i]]++;
    int sum = 0;
    for (int i = 0; i < 256; i++) {
        sum += count[i];
        total[i] = sum;
    }
    for (int i = 0; i < 256; i++)
        table[i] = (uint8_t)((long long)total[i] * 255 / (pixels > 0 ? pixels : 1));
    for (int i = 0; i < pixels; i++)
        out[i] = table[in[i]];
}

static uint8_t *in, *out;
static int pixels;

void setup(size_t bytes)
{
    pixels = (int)(bytes / 2);
    in = bench_bytes((size_t)pixels);
    out = bench_bytes((size_t)pixels);
}

void kernel(void) { equalise(in, out, pixels); }
