/* A step of PageRank on a dense matrix: the product, damping, the sum, normalisation, the change, and the copy back. */
#include "../bench.h"
#include <math.h>

ENTRY double page_rank(int n, const double *restrict links, double *restrict rank, double *restrict next, double damping)
{
    for (int i = 0; i < n; i++)
        next[i] = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            next[i] += links[(size_t)i * n + j] * rank[j];
    for (int i = 0; i < n; i++)
        next[i] = damping * next[i] + (1.0 - damping) / n;
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += next[i];
    for (int i = 0; i < n; i++)
        next[i] /= sum;
    double change = 0.0;
    for (int i = 0; i < n; i++)
        change += fabs(next[i] - rank[i]);
    for (int i = 0; i < n; i++)
        rank[i] = next[i];
    return change;
}

static double *links, *rank, *next, *change;
static int n;

void setup(size_t bytes)
{
    n = 1;
    while ((size_t)(n + 1) * (n + 1) * sizeof(double) <= bytes)
        n++;
    links = bench_doubles((size_t)n * n, 0, 1);
    rank = bench_doubles((size_t)n, 0, 1);
    next = bench_doubles((size_t)n, 0, 1);
    change = bench_doubles(1, 0, 1);
}

void kernel(void) { *change = page_rank(n, links, rank, next, 0.85); }
