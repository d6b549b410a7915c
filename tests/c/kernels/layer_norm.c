// function: layer_norm
// sizes: n=16, m=40
// sizes: n=1, m=1
// sizes: n=3, m=2
// arrays: x=n*m, scale=m, bias=m, y=n*m
// output: y
// temporaries: mean=scalar, centred=window m, variance=scalar, normal=scalar
// loops: 5 -> 1

#include <math.h>

// Rows with mean 0 and variance 1, scaled, and a cheap stand-in for the GELU.
void layer_norm(int n, int m, const float x[restrict n][m], const float scale[restrict m], const float bias[restrict m],
                float y[restrict n][m])
{
    float mean[n], centred[n][m], variance[n], normal[n][m];
#pragma scop
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < m; j++)
            sum += x[i][j];
        mean[i] = sum / (float)m;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            centred[i][j] = x[i][j] - mean[i];
    for (int i = 0; i < n; i++) {
        variance[i] = 0.0f;
        for (int j = 0; j < m; j++)
            variance[i] += centred[i][j] * centred[i][j];
        variance[i] /= (float)m;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            normal[i][j] = scale[j] * centred[i][j] / sqrtf(variance[i] + 1e-5f) + bias[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i][j] = normal[i][j] / (1.0f + fabsf(normal[i][j])) * 0.5f + 0.5f * normal[i][j];
#pragma endscop
}
