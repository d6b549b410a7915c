/* Scales measurements to the range from 0 to 1: the least, the greatest, the scaling, and a limit against rounding. */
#include "../bench.h"

static float minimum(const float *a, unsigned n)
{
    float m = a[0];
    for (unsigned i = 1; i < n; i++)
        m = a[i] < m ? a[i] : m;
    return m;
}

static float maximum(const float *a, unsigned n)
{
    float m = a[0];
    for (unsigned i = 1; i < n; i++)
        m = a[i] > m ? a[i] : m;
    return m;
}

ENTRY void min_max_scale(const float *in, float *out, unsigned n)
{
    float low = minimum(in, n);
    float high = maximum(in, n);
    float scale = 1.0f / (high - low);
    for (unsigned i = 0; i < n; i++)
        out[i] = (in[i] - low) * scale;
    for (unsigned i = 0; i < n; i++)
        if (out[i] > 1.0f)
            out[i] = 1.0f;
}

static float *in, *out;
static unsigned n;

void setup(size_t bytes)
{
    n = (unsigned)(bytes / (2 * sizeof(float)));
    n = n < 2 ? 2 : n;
    in = bench_floats(n, -40, 80);
    out = bench_floats(n, 0, 1);
}

void kernel(void) { min_max_scale(in, out, n); }
