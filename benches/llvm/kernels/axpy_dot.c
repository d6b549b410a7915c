/* BLAS as one calls it: y += a x, then the dot product of y and z, then the norm of y. */
#include "../bench.h"
#include <math.h>

static void axpy(size_t n, double a, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

ENTRY void axpy_then_dot(size_t n, double a, const double *restrict x, double *restrict y, const double *restrict z, double *restrict result)
{
    axpy(n, a, x, y);
    result[0] = dot(n, y, z);
    result[1] = sqrt(dot(n, y, y));
}

static double *x, *y, *z, *result;
static size_t n;

void setup(size_t bytes)
{
    n = bytes / (3 * sizeof(double));
    x = bench_doubles(n, -1, 1);
    y = bench_doubles(n, -1, 1);
    z = bench_doubles(n, -1, 1);
    result = bench_doubles(2, 0, 1);
}

void kernel(void) { axpy_then_dot(n, 1e-3, x, y, z, result); }
