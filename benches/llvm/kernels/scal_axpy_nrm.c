/* Modified Gram-Schmidt against one vector: projection, subtraction, maximum norm, scaling. Pointers may overlap, as in reference BLAS. */
#include "../bench.h"
#include <math.h>

ENTRY double orthogonalise(int n, const float *q, float *v, float *w)
{
    float r = 0.0f;
    for (int i = 0; i < n; i++)
        r += q[i] * v[i];
    for (int i = 0; i < n; i++)
        w[i] = r * q[i];
    for (int i = 0; i < n; i++)
        v[i] -= w[i];
    float norm = 0.0f;
    for (int i = 0; i < n; i++) {
        float a = v[i] < 0 ? -v[i] : v[i];
        if (a > norm)
            norm = a;
    }
    float scale = 1.0f / (norm + 1e-20f);
    for (int i = 0; i < n; i++)
        v[i] *= scale;
    return norm;
}

static float *q, *v, *w;
static double *norm;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (3 * sizeof(float)));
    q = bench_floats((size_t)n, -1e-3f, 1e-3f);
    v = bench_floats((size_t)n, -1, 1);
    w = bench_floats((size_t)n, -1, 1);
    norm = bench_doubles(1, 0, 1);
}

void kernel(void) { *norm = orthogonalise(n, q, v, w); }
