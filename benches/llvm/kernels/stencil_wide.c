/* Diffusion of fourth order on a line: five points of the last state, and the copy back, several times. */
#include "../bench.h"

ENTRY void stencil_wide(int steps, int n, double *a, double *b)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 2; i < n - 2; i++)
            b[i] = a[i] + 0.01 * (16.0 * (a[i - 1] + a[i + 1]) - a[i - 2] - a[i + 2] - 30.0 * a[i]);
        for (int i = 2; i < n - 2; i++)
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

void kernel(void) { stencil_wide(4, n, a, b); }
