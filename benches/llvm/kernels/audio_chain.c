/* A channel strip: samples to floats, gain, a filter against the constant part, a second track mixed in, soft limit, back to samples. */
#include "../bench.h"

static void to_float(const int16_t *in, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] * (1.0f / 32768.0f);
}

static void gain(float *buf, int n, float g)
{
    for (int i = 0; i < n; i++)
        buf[i] *= g;
}

static void dc_block(float *buf, int n, float *state)
{
    float x1 = state[0], y1 = state[1];
    for (int i = 0; i < n; i++) {
        float x = buf[i];
        float y = x - x1 + 0.995f * y1;
        buf[i] = y;
        x1 = x;
        y1 = y;
    }
    state[0] = x1;
    state[1] = y1;
}

static void mix(float *buf, const float *other, int n, float level)
{
    for (int i = 0; i < n; i++)
        buf[i] += level * other[i];
}

static void soft_clip(float *buf, int n)
{
    for (int i = 0; i < n; i++) {
        float x = buf[i];
        x = x > 1.0f ? 1.0f : x < -1.0f ? -1.0f : x;
        buf[i] = 1.5f * x - 0.5f * x * x * x;
    }
}

static void to_samples(const float *buf, int16_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (int16_t)(buf[i] * 32767.0f);
}

ENTRY void strip(const int16_t *restrict in, const float *restrict other, float *restrict buf, float *restrict state, int16_t *restrict out, int n)
{
    to_float(in, buf, n);
    gain(buf, n, 0.8f);
    dc_block(buf, n, state);
    mix(buf, other, n, 0.3f);
    soft_clip(buf, n);
    to_samples(buf, out, n);
}

static int16_t *in, *out;
static float *other, *buf, *state;
static int n;

void setup(size_t bytes)
{
    n = (int)(bytes / 12);
    in = bench_shorts((size_t)n);
    out = bench_shorts((size_t)n);
    other = bench_floats((size_t)n, -1, 1);
    buf = bench_floats((size_t)n, -1, 1);
    state = bench_floats(2, 0, 1);
}

void kernel(void) { strip(in, other, buf, state, out, n); }
