/* Heat on a plate, in time steps that swap two grids; the edges are kept at their temperature by loops of their own. */
#include "../bench.h"

static void diffuse(const float *restrict t, float *restrict next, int nx, int ny, float k)
{
    for (int j = 1; j < ny - 1; j++)
        for (int i = 1; i < nx - 1; i++) {
            int c = j * nx + i;
            next[c] = t[c] + k * (t[c - 1] + t[c + 1] + t[c - nx] + t[c + nx] - 4.0f * t[c]);
        }
}

static void edges(float *t, int nx, int ny)
{
    for (int i = 0; i < nx; i++)
        t[i] = 100.0f;
    for (int i = 0; i < nx; i++)
        t[(ny - 1) * nx + i] = 0.0f;
    for (int j = 1; j < ny - 1; j++)
        t[j * nx] = t[j * nx + 1];
    for (int j = 1; j < ny - 1; j++)
        t[j * nx + nx - 1] = t[j * nx + nx - 2];
}

ENTRY void heat(float *t, float *next, int nx, int ny, int steps)
{
    for (int s = 0; s < steps; s++) {
        diffuse(t, next, nx, ny, 0.2f);
        edges(next, nx, ny);
        float *swap = t;
        t = next;
        next = swap;
    }
}

static float *t, *next;
static int nx, ny;

void setup(size_t bytes)
{
    bench_image(bytes / (2 * sizeof(float)), &nx, &ny);
    t = bench_floats((size_t)nx * ny, 0, 100);
    next = bench_floats((size_t)nx * ny, 0, 100);
}

void kernel(void) { heat(t, next, nx, ny, 4); }
