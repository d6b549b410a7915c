/* A photograph's chain of point operations: exposure, contrast, Reinhard's curve, gamma 2, eight bits. Every step is a loop of its own. */
#include "../bench.h"
#include <math.h>

static void expose(float *p, int n, float gain)
{
    for (int i = 0; i < n; i++)
        p[i] *= gain;
}

static void contrast(float *p, int n, float c)
{
    for (int i = 0; i < n; i++)
        p[i] = (p[i] - 0.18f) * c + 0.18f;
}

static void clamp_low(float *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = p[i] < 0.0f ? 0.0f : p[i];
}

static void reinhard(float *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = p[i] / (1.0f + p[i]);
}

static void quantise(uint8_t *out, const float *p, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (uint8_t)(255.0f * p[i] * (2.0f - p[i]) + 0.5f);
}

ENTRY void tone_map(const float *in, float *work, uint8_t *out, int n, float gain)
{
    for (int i = 0; i < n; i++)
        work[i] = in[i];
    expose(work, n, gain);
    contrast(work, n, 1.1f);
    clamp_low(work, n);
    reinhard(work, n);
    quantise(out, work, n);
}

static float *in, *work;
static uint8_t *out;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / 9);
    in = bench_floats((size_t)n, 0, 8);
    work = bench_floats((size_t)n, 0, 1);
    out = bench_bytes((size_t)n);
}

void kernel(void) { tone_map(in, work, out, n, 0.7f); }
