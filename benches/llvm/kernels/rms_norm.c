/* A transformer's step around its normalisation: residual, root of the mean square, scaling, weights. */
#include "../bench.h"
#include <math.h>

static void add(float *x, const float *y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] += y[i];
}

static void rms_norm(float *o, const float *x, const float *weight, int n)
{
    float ss = 0.0f;
    for (int j = 0; j < n; j++)
        ss += x[j] * x[j];
    ss = 1.0f / sqrtf(ss / (float)n + 1e-5f);
    for (int j = 0; j < n; j++)
        o[j] = weight[j] * (ss * x[j]);
}

ENTRY void block(float *x, const float *attention, float *normed, const float *weight, int tokens, int dim)
{
    for (int t = 0; t < tokens; t++) {
        add(x + t * dim, attention + t * dim, dim);
        rms_norm(normed + t * dim, x + t * dim, weight, dim);
    }
}

static float *x, *attention, *normed, *weight;
static int tokens, dim;

void setup(size_t bytes)
{
    dim = 288;
    tokens = (int)(bytes / (3 * sizeof(float)) / (size_t)dim);
    x = bench_floats((size_t)tokens * dim, -1, 1);
    attention = bench_floats((size_t)tokens * dim, -1, 1);
    normed = bench_floats((size_t)tokens * dim, -1, 1);
    weight = bench_floats((size_t)dim, 0, 1);
}

void kernel(void) { block(x, attention, normed, weight, tokens, dim); }
