// function: sobel
// sizes: h=30, w=41
// sizes: h=3, w=3
// sizes: h=2, w=2
// arrays: in=h*w, out=h*w
// output: out
// temporaries: gx=scalar, gy=scalar, mag=scalar
// loops: 4 -> 1

#include <stdint.h>
#include <stdlib.h>

static inline int magnitude(int a, int b)
{
    return (a < 0 ? -a : a) + (b < 0 ? -b : b);
}

// Edges after Sobel: the derivatives in both directions, the sum of their sizes, and a threshold.
void sobel(const uint8_t *restrict in, uint8_t *restrict out, int h, int w, int threshold)
{
#pragma scop
    int *restrict gx = malloc((size_t)h * w * sizeof *gx);
    int *restrict gy = malloc((size_t)h * w * sizeof *gy);
    int *restrict mag = malloc((size_t)h * w * sizeof *mag);

    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            gx[y * w + x] = in[(y - 1) * w + x + 1] + 2 * in[y * w + x + 1] + in[(y + 1) * w + x + 1]
                          - in[(y - 1) * w + x - 1] - 2 * in[y * w + x - 1] - in[(y + 1) * w + x - 1];
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            gy[y * w + x] = in[(y + 1) * w + x - 1] + 2 * in[(y + 1) * w + x] + in[(y + 1) * w + x + 1]
                          - in[(y - 1) * w + x - 1] - 2 * in[(y - 1) * w + x] - in[(y - 1) * w + x + 1];
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            mag[y * w + x] = magnitude(gx[y * w + x], gy[y * w + x]) >> 1;
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            out[y * w + x] = (uint8_t)(mag[y * w + x] > threshold + 100 ? 255 : mag[y * w + x] & 0x7f);

    free(gx);
    free(gy);
    free(mag);
#pragma endscop
}
