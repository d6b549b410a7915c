/* A smoothing filter that goes to and fro between two arrays, several times. */
#include "../bench.h"

ENTRY void ping_pong(int steps, int n, float *a, float *b)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.33f * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < n - 1; i++)
            a[i] = 0.33f * (b[i - 1] + b[i] + b[i + 1]);
    }
}

static float *a, *b;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / (2 * sizeof(float)));
    a = bench_floats((size_t)n, 0, 1);
    b = bench_floats((size_t)n, 0, 1);
}

void kernel(void) { ping_pong(4, n, a, b); }
