/* Jacobi's iteration on a line: a sweep into a second array and the copy back, several times. */
#include "../bench.h"

ENTRY void jacobi_1d(int steps, int n, double *a, double *b)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
}

static double *a, *b;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (2 * sizeof(double)));
    a = bench_doubles((size_t)n, 0, 1);
    b = bench_doubles((size_t)n, 0, 1);
}

void kernel(void) { jacobi_1d(4, n, a, b); }
