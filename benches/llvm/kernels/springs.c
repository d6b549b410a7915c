/* A chain of masses and springs: forces from the neighbours, velocities, positions, and the energy of the motion. */
#include "../bench.h"

ENTRY double springs(size_t n, double *restrict x, double *restrict v, double *restrict f, const double *restrict mass, double k, double dt)
{
    for (size_t i = 0; i < n; i++)
        f[i] = 0.0;
    for (size_t i = 1; i < n; i++) {
        double pull = k * (x[i] - x[i - 1] - 1.0);
        f[i - 1] += pull;
        f[i] -= pull;
    }
    for (size_t i = 0; i < n; i++)
        v[i] += dt * f[i] / mass[i];
    for (size_t i = 0; i < n; i++)
        x[i] += dt * v[i];
    double energy = 0.0;
    for (size_t i = 0; i < n; i++)
        energy += 0.5 * mass[i] * v[i] * v[i];
    return energy;
}

static double *x, *v, *f, *mass, *energy;
static size_t n;

void setup(size_t bytes)
{
    n = bytes / (4 * sizeof(double));
    x = bench_doubles(n, 0, 10);
    v = bench_doubles(n, -1, 1);
    f = bench_doubles(n, 0, 1);
    mass = bench_doubles(n, 1, 2);
    energy = bench_doubles(1, 0, 1);
}

void kernel(void) { *energy = springs(n, x, v, f, mass, 10.0, 1e-4); }
