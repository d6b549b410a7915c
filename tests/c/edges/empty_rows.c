// function: row_sums
// sizes: w=5, h=4
// sizes: w=0, h=3
// sizes: w=3, h=0
// sizes: w=1, h=1
// arrays: a=w*h, b=w*h
// output: b
// temporaries: t=window 2 x w
// loops: 2 -> 1

#include <stdlib.h>

// Rows of no elements; the size of the temporary is no product of extents, so that a window of rows needs memory of its own.
void row_sums(int w, int h, const int *restrict a, int *restrict b)
{
    int *t = malloc((size_t)w * h * sizeof *t + 1);
#pragma scop
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            t[y * w + x] = a[y * w + x] * 2;
    for (int y = 1; y < h; y++)
        for (int x = 0; x < w; x++)
            b[y * w + x] = t[y * w + x] + t[(y - 1) * w + x];
#pragma endscop
    free(t);
}
