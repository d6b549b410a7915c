// function: jacobi_3d
// sizes: n=11, m=9, p=14
// sizes: n=5, m=5, p=5
// sizes: n=1, m=2, p=3
// arrays: a=n*m*p, b=n*m*p
// output: b
// temporaries: once=window 3 x m x p
// loops: 2 -> 1

#include <stdlib.h>

#define AT(array, k, i, j) array[((k) * m + (i)) * p + (j)]

// Two sweeps of the seven-point stencil on a linearised grid.
void jacobi_3d(int n, int m, int p, const float *restrict a, float *restrict b)
{
    float *once = malloc(sizeof(float) * n * m * p);
#pragma scop
    for (int k = 1; k < n - 1; k++)
        for (int i = 1; i < m - 1; i++)
            for (int j = 1; j < p - 1; j++)
                AT(once, k, i, j) = 0.4f * AT(a, k, i, j)
                                  + 0.1f * (AT(a, k - 1, i, j) + AT(a, k + 1, i, j) + AT(a, k, i - 1, j)
                                            + AT(a, k, i + 1, j) + AT(a, k, i, j - 1) + AT(a, k, i, j + 1));
    for (int k = 2; k < n - 2; k++)
        for (int i = 2; i < m - 2; i++)
            for (int j = 2; j < p - 2; j++)
                AT(b, k, i, j) = 0.4f * AT(once, k, i, j)
                               + 0.1f * (AT(once, k - 1, i, j) + AT(once, k + 1, i, j) + AT(once, k, i - 1, j)
                                         + AT(once, k, i + 1, j) + AT(once, k, i, j - 1) + AT(once, k, i, j + 1));
#pragma endscop
    free(once);
}
