/* Samples are scaled, and each is set off against those three before and behind it. */
#include "../bench.h"

ENTRY void far_neighbours(int n, const float *restrict a, float *restrict b, float *restrict c)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 0.5f + 1.0f;
    for (int i = 3; i < n - 3; i++)
        c[i] = b[i - 3] + b[i] + b[i + 3];
}

static float *a, *b, *c;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (3 * sizeof(float)));
    a = bench_floats((size_t)n, 0, 1);
    b = bench_floats((size_t)n, 0, 1);
    c = bench_floats((size_t)n, 0, 1);
}

void kernel(void) { far_neighbours(n, a, b, c); }
