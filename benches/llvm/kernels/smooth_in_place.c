/* Smoothing in place, twice: the mean of the neighbours into a buffer, and half of it back. */
#include "../bench.h"

ENTRY void smooth_in_place(int n, double *a, double *b)
{
    for (int i = 1; i < n - 1; i++)
        b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++)
        a[i] = 0.5 * a[i] + 0.5 * b[i];
    for (int i = 1; i < n - 1; i++)
        b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++)
        a[i] = 0.5 * a[i] + 0.5 * b[i];
}

static double *a, *b;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (2 * sizeof(double)));
    a = bench_doubles((size_t)n, 0, 1);
    b = bench_doubles((size_t)n, 0, 1);
}

void kernel(void) { smooth_in_place(n, a, b); }
