/* A moving mean by running sums: the sums, and the differences of those that lie 16 apart. */
#include "../bench.h"

ENTRY void moving_sum(int n, const double *a, double *sums, double *means)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        sums[i] = sum;
    }
    for (int i = 8; i < n - 8; i++)
        means[i] = (sums[i + 8] - sums[i - 8]) * 0.0625;
}

static double *a, *sums, *means;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (3 * sizeof(double)));
    a = bench_doubles((size_t)n, 0, 1);
    sums = bench_doubles((size_t)n, 0, 1);
    means = bench_doubles((size_t)n, 0, 1);
}

void kernel(void) { moving_sum(n, a, sums, means); }
