/* The optimiser Adam with decay of weights: both moments, their corrections, the step, a loop for each line of the paper. */
#include "../bench.h"
#include <math.h>

ENTRY void adam(float *restrict w, const float *restrict g, float *restrict m, float *restrict v, float *restrict mhat, float *restrict vhat,
                size_t n, float rate, float correction1, float correction2)
{
    const float beta1 = 0.9f, beta2 = 0.999f;
    for (size_t i = 0; i < n; i++)
        m[i] = beta1 * m[i] + (1.0f - beta1) * g[i];
    for (size_t i = 0; i < n; i++)
        v[i] = beta2 * v[i] + (1.0f - beta2) * g[i] * g[i];
    for (size_t i = 0; i < n; i++)
        mhat[i] = m[i] / correction1;
    for (size_t i = 0; i < n; i++)
        vhat[i] = v[i] / correction2;
    for (size_t i = 0; i < n; i++)
        w[i] -= rate * 0.01f * w[i];
    for (size_t i = 0; i < n; i++)
        w[i] -= rate * mhat[i] / (vhat[i] + 1e-3f);
}

static float *w, *g, *m, *v, *mhat, *vhat;
static size_t n;

void setup(size_t bytes)
{
    n = bytes / (6 * sizeof(float));
    w = bench_floats(n, -1, 1);
    g = bench_floats(n, -1, 1);
    m = bench_floats(n, -1, 1);
    v = bench_floats(n, 0, 1);
    mhat = bench_floats(n, 0, 1);
    vhat = bench_floats(n, 0, 1);
}

void kernel(void) { adam(w, g, m, v, mhat, vhat, n, 1e-3f, 0.1f, 0.001f); }
