// function: dither_line
// sizes: h=9, w=37
// sizes: h=1, w=1
// sizes: h=2, w=3
// arrays: in=h*w, out=h*w
// output: out
// temporaries: corrected=scalar, error=kept, level=scalar
// loops: 4 -> 2

#include <stdint.h>
#include <stdlib.h>

// Gamma-like correction, then error diffusion along each line; the error is carried from pixel to pixel.
void dither_line(const uint8_t *restrict in, uint8_t *restrict out, int h, int w)
{
    int *restrict corrected = malloc(sizeof(int) * h * w);
    int *restrict level = malloc(sizeof(int) * h * w);
    int *restrict error = malloc(sizeof(int) * h * (w + 1));
#pragma scop
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            corrected[y * w + x] = in[y * w + x] * in[y * w + x] / 255;
    for (int y = 0; y < h; y++)
        error[y * (w + 1)] = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int wanted = corrected[y * w + x] + error[y * (w + 1) + x];
            level[y * w + x] = wanted < 128 ? 0 : 255;
            error[y * (w + 1) + x + 1] = wanted - level[y * w + x];
        }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = (uint8_t)(level[y * w + x] ^ 0xff);
#pragma endscop
    free(corrected);
    free(level);
    free(error);
}
