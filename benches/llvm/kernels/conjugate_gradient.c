/* The vector updates of a step of conjugate gradients, between two products with the matrix. */
#include "../bench.h"

typedef struct {
    size_t n;
    double *x, *r, *p, *q;
    double rho;
} solver;

ENTRY void update(solver *s, double alpha)
{
    size_t n = s->n;
    double *restrict x = s->x, *restrict r = s->r, *restrict p = s->p;
    const double *restrict q = s->q;

    for (size_t i = 0; i < n; ++i)
        x[i] = x[i] + alpha * p[i];
    for (size_t i = 0; i < n; ++i)
        r[i] = r[i] - alpha * q[i];
    double rho = 0.0;
    for (size_t i = 0; i < n; ++i)
        rho += r[i] * r[i];
    double beta = rho / (s->rho + rho);
    for (size_t i = 0; i < n; ++i)
        p[i] = r[i] + beta * p[i];
    s->rho = rho;
}

static solver s;
static double *rho;

void setup(size_t bytes)
{
    s.n = bytes / (4 * sizeof(double));
    s.x = bench_doubles(s.n, -1, 1);
    s.r = bench_doubles(s.n, -1, 1);
    s.p = bench_doubles(s.n, -1, 1);
    s.q = bench_doubles(s.n, -1, 1);
    rho = bench_doubles(1, 1, 2);
    s.rho = *rho;
}

void kernel(void)
{
    update(&s, 1e-3);
    *rho = s.rho;
}
