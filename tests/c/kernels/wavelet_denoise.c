// function: wavelet_denoise
// sizes: n=25, m=16
// sizes: n=1, m=1
// sizes: n=4, m=3
// arrays: in=n*2*m, out=n*2*m
// output: out
// temporaries: low=scalar, high=scalar, kept=scalar
// loops: 4 -> 1

#include <math.h>

// Haar along rows, small details become zero, and back again.
void wavelet_denoise(int n, int m, float threshold, const float in[restrict n][2 * m], float out[restrict n][2 * m])
{
    float low[n][m], high[n][m], kept[n][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            low[i][j] = 0.5f * (in[i][2 * j] + in[i][2 * j + 1]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            high[i][j] = 0.5f * (in[i][2 * j] - in[i][2 * j + 1]);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            if (fabsf(high[i][j]) <= threshold)
                kept[i][j] = 0.0f;
            else if (high[i][j] > 0.0f)
                kept[i][j] = high[i][j] - threshold;
            else
                kept[i][j] = high[i][j] + threshold;
        }

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            out[i][2 * j] = low[i][j] + kept[i][j];
            out[i][2 * j + 1] = low[i][j] - kept[i][j];
        }
#pragma endscop
}
