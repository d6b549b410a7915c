/* The residual of a sparse system: product by rows, difference, its square sum, and a step of Jacobi with the diagonal. */
#include "../bench.h"

ENTRY double residual(int n, const int32_t *restrict start, const int32_t *restrict column, const double *restrict value, const double *restrict diagonal,
                      const double *restrict b, double *restrict x, double *restrict ax, double *restrict r)
{
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = start[i]; k < start[i + 1]; k++)
            sum += value[k] * x[column[k]];
        ax[i] = sum;
    }
    for (int i = 0; i < n; i++)
        r[i] = b[i] - ax[i];
    double norm = 0.0;
    for (int i = 0; i < n; i++)
        norm += r[i] * r[i];
    for (int i = 0; i < n; i++)
        x[i] += r[i] / diagonal[i];
    return norm;
}

enum { PER_ROW = 5 };

static int32_t *start, *column;
static double *value, *diagonal, *b, *x, *ax, *r, *norm;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (44 + 12 * PER_ROW)) + 1;
    start = bench_ints((size_t)n + 1, 0, 1);
    for (int i = 0; i <= n; i++)
        start[i] = i * PER_ROW;
    column = bench_ints((size_t)n * PER_ROW, 0, n);
    value = bench_doubles((size_t)n * PER_ROW, -0.1, 0.1);
    diagonal = bench_doubles((size_t)n, 4, 5);
    b = bench_doubles((size_t)n, -1, 1);
    x = bench_doubles((size_t)n, -1, 1);
    ax = bench_doubles((size_t)n, -1, 1);
    r = bench_doubles((size_t)n, -1, 1);
    norm = bench_doubles(1, 0, 1);
}

void kernel(void) { *norm = residual(n, start, column, value, diagonal, b, x, ax, r); }
