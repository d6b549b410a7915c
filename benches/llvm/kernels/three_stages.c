/* Two passes of a filter and damping, each a loop, over a signal. */
#include "../bench.h"

ENTRY void three_stages(int steps, int n, double *restrict a, double *restrict b, double *restrict c)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
        for (int i = 1; i < n - 1; i++)
            c[i] = 0.25 * b[i - 1] + 0.5 * b[i] + 0.25 * b[i + 1];
        for (int i = 1; i < n - 1; i++)
            a[i] = c[i] * 0.99;
    }
}

static double *a, *b, *c;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (3 * sizeof(double)));
    a = bench_doubles((size_t)n, 0, 1);
    b = bench_doubles((size_t)n, 0, 1);
    c = bench_doubles((size_t)n, 0, 1);
}

void kernel(void) { three_stages(4, n, a, b, c); }
