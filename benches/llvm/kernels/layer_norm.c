/* Layer normalisation: mean, variance, and for every element the normalised value, its weight and its bias in loops of their own. */
#include "../bench.h"
#include <math.h>

ENTRY void layer_norm(float *restrict out, const float *restrict in, const float *restrict weight, const float *restrict bias, size_t rows, size_t n)
{
    for (size_t r = 0; r < rows; r++) {
        const float *x = in + r * n;
        float *y = out + r * n;
        float mean = 0.0f;
        for (size_t i = 0; i < n; i++)
            mean += x[i];
        mean /= (float)n;
        float variance = 0.0f;
        for (size_t i = 0; i < n; i++)
            variance += (x[i] - mean) * (x[i] - mean);
        float scale = 1.0f / sqrtf(variance / (float)n + 1e-5f);
        for (size_t i = 0; i < n; i++)
            y[i] = (x[i] - mean) * scale;
        for (size_t i = 0; i < n; i++)
            y[i] *= weight[i];
        for (size_t i = 0; i < n; i++)
            y[i] += bias[i];
    }
}

static float *out, *in, *weight, *bias;
static size_t rows, n;

void setup(size_t bytes)
{
    n = 768;
    rows = bytes / (2 * sizeof(float)) / n;
    in = bench_floats(rows * n, -1, 1);
    out = bench_floats(rows * n, -1, 1);
    weight = bench_floats(n, 0.5f, 1.5f);
    bias = bench_floats(n, -1, 1);
}

void kernel(void) { layer_norm(out, in, weight, bias, rows, n); }
