/* First differences of a signal, and the sum of the squares of the second ones. */
#include "../bench.h"

ENTRY double difference_norm(int n, const double *a, double *b)
{
    for (int i = 1; i < n - 1; i++)
        b[i] = a[i + 1] - a[i];
    double sum = 0;
    for (int i = 2; i < n - 1; i++) {
        double change = b[i] - b[i - 1];
        sum += change * change;
    }
    return sum;
}

static double *a, *b, *norm;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (2 * sizeof(double)));
    a = bench_doubles((size_t)n, 0, 1);
    b = bench_doubles((size_t)n, 0, 1);
    norm = bench_doubles(1, 0, 1);
}

void kernel(void) { *norm = difference_norm(n, a, b); }
