// function: canny
// sizes: n=29, m=34
// sizes: n=7, m=7
// sizes: n=4, m=12
// sizes: n=1, m=2
// arrays: in=n*m, edges=n*m
// output: edges
// temporaries: smooth=window 3 x m, gx=scalar, gy=scalar, strength=window 2 x m, across=window 2 x m
// loops: 6 -> 1

#include <math.h>

// The first steps of Canny's edge detector: smooth, differentiate, keep what is largest across the edge, threshold.
void canny(int n, int m, float low, float high, const float in[restrict n][m], unsigned char edges[restrict n][m])
{
    float smooth[n][m], gx[n][m], gy[n][m], strength[n][m];
    signed char across[n][m];

#pragma scop
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            smooth[i][j] = (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1] + 4.0f * in[i][j]) / 8.0f;

    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < m - 2; j++)
            gx[i][j] = smooth[i][j + 1] - smooth[i][j - 1];
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < m - 2; j++)
            gy[i][j] = smooth[i + 1][j] - smooth[i - 1][j];

    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < m - 2; j++)
            strength[i][j] = sqrtf(gx[i][j] * gx[i][j] + gy[i][j] * gy[i][j]);
    // The direction across the edge, to one of two axes.
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < m - 2; j++) {
            if (fabsf(gx[i][j]) > fabsf(gy[i][j]))
                across[i][j] = 0;
            else
                across[i][j] = 1;
        }

    for (int i = 3; i < n - 3; i++)
        for (int j = 3; j < m - 3; j++) {
            float here = strength[i][j];
            float before = across[i][j] ? strength[i - 1][j] : strength[i][j - 1];
            float after = across[i][j] ? strength[i + 1][j] : strength[i][j + 1];
            if (here < before || here < after || here < low)
                edges[i][j] = 0;
            else
                edges[i][j] = here >= high ? 255 : 128;
        }
#pragma endscop
}
