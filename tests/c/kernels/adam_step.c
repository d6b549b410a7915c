// function: adam_step
// sizes: n=90
// sizes: n=1
// sizes: n=4
// arrays: w=n, g=n, m=n, v=n
// output: w, m, v
// temporaries: clipped=scalar, mhat=scalar, vhat=scalar, step=scalar
// loops: 7 -> 1

#include <math.h>
#include <stdlib.h>

static inline float clip(float x, float bound)
{
    return x > bound ? bound : x < -bound ? -bound : x;
}

// One step of the Adam optimiser, as an array library would run it; weights and moments change in place.
void adam_step(int n, float rate, float *restrict w, const float *restrict g, float *restrict m, float *restrict v)
{
    float *clipped = malloc(n * sizeof *clipped), *mhat = malloc(n * sizeof *mhat);
    float *vhat = malloc(n * sizeof *vhat), *step = malloc(n * sizeof *step);
#pragma scop
    for (int i = 0; i < n; i++)
        clipped[i] = clip(g[i], 0.75f);
    for (int i = 0; i < n; i++)
        m[i] = 0.9f * m[i] + 0.1f * clipped[i];
    for (int i = 0; i < n; i++)
        v[i] = 0.999f * v[i] + 0.001f * clipped[i] * clipped[i];
    float unbias = 1.0f / (1.0f - 0.9f * 0.9f);
    for (int i = 0; i < n; i++)
        mhat[i] = m[i] * unbias;
    for (int i = 0; i < n; i++)
        vhat[i] = fabsf(v[i]) / (1.0f - 0.999f * 0.999f);
    for (int i = 0; i < n; i++)
        step[i] = mhat[i] / (sqrtf(vhat[i]) + 1e-8f);
    for (int i = 0; i < n; i++)
        w[i] -= rate * step[i];
#pragma endscop
    free(clipped), free(mhat), free(vhat), free(step);
}
