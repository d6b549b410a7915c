// function: normalise_rows
// sizes: n=30, m=24
// sizes: n=1, m=1
// sizes: n=5, m=2
// arrays: a=n*m
// output: a
// temporaries: norm=scalar, inverse=scalar
// loops: 4 -> 1

#include <math.h>

// Every row gets length one, in place.
void normalise_rows(int n, int m, float a[restrict n][m])
{
    float norm[n], inverse[n];
#pragma scop
    for (int i = 0; i < n; i++)
        norm[i] = 1e-12f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            norm[i] += a[i][j] * a[i][j];
    for (int i = 0; i < n; i++)
        inverse[i] = 1.0f / sqrtf(norm[i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] *= inverse[i];
#pragma endscop
}
