/* Describes a sample: mean, variance, least, greatest, and how many lie above a limit, each a function over the whole sample. */
#include "../bench.h"

static double mean(const double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum / n;
}

static double variance(const double *a, int n, double m)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - m) * (a[i] - m);
    return sum / n;
}

static double least(const double *a, int n)
{
    double m = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] < m)
            m = a[i];
    return m;
}

static double greatest(const double *a, int n)
{
    double m = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] > m)
            m = a[i];
    return m;
}

static int above(const double *a, int n, double limit)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += a[i] > limit;
    return count;
}

ENTRY void describe(const double *a, int n, double *out)
{
    out[0] = mean(a, n);
    out[1] = variance(a, n, out[0]);
    out[2] = least(a, n);
    out[3] = greatest(a, n);
    out[4] = above(a, n, 0.5);
}

static double *a, *out;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / sizeof(double));
    n = n < 1 ? 1 : n;
    a = bench_doubles((size_t)n, -1, 1);
    out = bench_doubles(5, 0, 1);
}

void kernel(void) { describe(a, n, out); }
