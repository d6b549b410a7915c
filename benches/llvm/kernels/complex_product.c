/* Complex numbers in two arrays: the product with a filter, real and imaginary part in loops of their own, the scaling of both, and the power. */
#include "../bench.h"

ENTRY void filter(const float *restrict ar, const float *restrict ai, const float *restrict br, const float *restrict bi, float *restrict cr,
                  float *restrict ci, float *restrict power, int n, float scale)
{
    for (int i = 0; i < n; i++)
        cr[i] = ar[i] * br[i] - ai[i] * bi[i];
    for (int i = 0; i < n; i++)
        ci[i] = ar[i] * bi[i] + ai[i] * br[i];
    for (int i = 0; i < n; i++)
        cr[i] *= scale;
    for (int i = 0; i < n; i++)
        ci[i] *= scale;
    for (int i = 0; i < n; i++)
        power[i] = cr[i] * cr[i] + ci[i] * ci[i];
}

static float *ar, *ai, *br, *bi, *cr, *ci, *power;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (7 * sizeof(float)));
    ar = bench_floats((size_t)n, -1, 1);
    ai = bench_floats((size_t)n, -1, 1);
    br = bench_floats((size_t)n, -1, 1);
    bi = bench_floats((size_t)n, -1, 1);
    cr = bench_floats((size_t)n, -1, 1);
    ci = bench_floats((size_t)n, -1, 1);
    power = bench_floats((size_t)n, -1, 1);
}

void kernel(void) { filter(ar, ai, br, bi, cr, ci, power, n, 0.125f); }
