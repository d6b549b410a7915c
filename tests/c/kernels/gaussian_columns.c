// function: gaussian_columns
// sizes: w=44, h=27
// sizes: w=3, h=5
// sizes: w=8, h=4
// arrays: in=w*h, out=w*h
// output: out
// temporaries: tmp=window 5 x w
// loops: 2 -> 1

#include <stdlib.h>

// A separable blur; the vertical pass goes column by column, so that one of the nests must be interchanged.
void gaussian_columns(int w, int h, const float *restrict in, float *restrict out)
{
#pragma scop
    float *restrict tmp = malloc(sizeof(float) * w * h);

    for (int y = 0; y < h; y++)
        for (int x = 1; x < w - 1; x++)
            tmp[y * w + x] = 0.25f * in[y * w + x - 1] + 0.5f * in[y * w + x] + 0.25f * in[y * w + x + 1];

    for (int x = 1; x < w - 1; x++)
        for (int y = 2; y < h - 2; y++)
            out[y * w + x] = (tmp[(y - 2) * w + x] + 4.0f * tmp[(y - 1) * w + x] + 6.0f * tmp[y * w + x]
                              + 4.0f * tmp[(y + 1) * w + x] + tmp[(y + 2) * w + x]) / 16.0f;

    free(tmp);
#pragma endscop
}
