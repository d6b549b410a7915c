// function: auto_levels
// sizes: n=21, m=33
// sizes: n=1, m=1
// sizes: n=3, m=2
// arrays: in=n*m, out=n*m
// output: out
// temporaries: grey=kept, stretched=scalar
// loops: 4 -> 2

#include <math.h>

// Stretches the grey values to the whole range. The extremes need every pixel, so that the image stays in between.
void auto_levels(int n, int m, const float in[restrict n][m], float out[restrict n][m])
{
    float grey[n][m], stretched[n][m];
    float least, most;
#pragma scop
    least = 1e30f;
    most = -1e30f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            grey[i][j] = sqrtf(in[i][j] * in[i][j] + 0.01f);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            if (grey[i][j] < least)
                least = grey[i][j];
            if (grey[i][j] > most)
                most = grey[i][j];
        }
    float scale = 1.0f / (most - least + 1e-6f);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            stretched[i][j] = (grey[i][j] - least) * scale;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i][j] = stretched[i][j] * (2.0f - stretched[i][j]);
#pragma endscop
}
