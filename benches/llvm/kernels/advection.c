/* Transport along a line: slopes, fluxes through the walls of cells, and the update of the cells from the fluxes on both sides. */
#include "../bench.h"

ENTRY void advect(int n, const double *restrict velocity, double *restrict u, double *restrict slope, double *restrict flux, double dt)
{
    for (int i = 1; i < n - 1; i++)
        slope[i] = 0.5 * (u[i + 1] - u[i - 1]);
    for (int i = 2; i < n - 1; i++) {
        double c = velocity[i];
        flux[i] = c > 0.0 ? c * (u[i - 1] + 0.5 * (1.0 - c * dt) * slope[i - 1]) : c * (u[i] - 0.5 * (1.0 + c * dt) * slope[i]);
    }
    for (int i = 2; i < n - 2; i++)
        u[i] -= dt * (flux[i + 1] - flux[i]);
}

static double *velocity, *u, *slope, *flux;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (4 * sizeof(double)));
    velocity = bench_doubles((size_t)n, -1, 1);
    u = bench_doubles((size_t)n, 1, 2);
    slope = bench_doubles((size_t)n, 0, 1);
    flux = bench_doubles((size_t)n, 0, 1);
}

void kernel(void) { advect(n, velocity, u, slope, flux, 1e-2); }
