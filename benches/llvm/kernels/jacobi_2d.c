/* Jacobi's iteration on a grid: the sweep, the greatest change, and the copy back. Variable length arrays as C99 has them. */
#include "../bench.h"
#include <math.h>

ENTRY double jacobi_2d(int n, double (*restrict u)[n], double (*restrict v)[n], double (*restrict f)[n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);

    double change = 0.0;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            double d = fabs(v[i][j] - u[i][j]);
            if (d > change)
                change = d;
        }

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            u[i][j] = v[i][j];
    return change;
}

static double *u, *v, *f, *change;
static int n;

void setup(size_t bytes)
{
    n = 3;
    while ((size_t)(n + 1) * (n + 1) * 3 * sizeof(double) <= bytes)
        n++;
    u = bench_doubles((size_t)n * n, 0, 1);
    v = bench_doubles((size_t)n * n, 0, 1);
    f = bench_doubles((size_t)n * n, -0.1, 0.1);
    change = bench_doubles(1, 0, 1);
}

void kernel(void) { *change = jacobi_2d(n, (void *)u, (void *)v, (void *)f); }
