/* What follows a matrix product in a neural network, on pointers that may overlap: bias, rectification, dropout, residual. */
#include "../bench.h"

static void add_bias(float *x, const float *bias, int n)
{
    for (const float *end = x + n; x != end; ++x, ++bias)
        *x += *bias;
}

static void rectify(float *x, int n)
{
    for (int i = 0; i < n; ++i)
        if (x[i] < 0)
            x[i] = 0;
}

static void drop(float *x, const uint8_t *mask, int n, float scale)
{
    for (int i = 0; i < n; ++i)
        x[i] = mask[i] & 1 ? x[i] * scale : 0.0f;
}

static void add(float *out, const float *x, const float *residual, int n)
{
    for (int i = 0; i < n; ++i)
        out[i] = x[i] + residual[i];
}

ENTRY void layer(float *x, const float *bias, const uint8_t *mask, const float *residual, float *out, int rows, int n)
{
    for (int r = 0; r < rows; r++) {
        float *row = x + (size_t)r * n;
        add_bias(row, bias, n);
        rectify(row, n);
        drop(row, mask + (size_t)r * n, n, 1.25f);
        add(out + (size_t)r * n, row, residual + (size_t)r * n, n);
    }
}

static float *x, *bias, *residual, *out;
static uint8_t *mask;
static int rows, n;

void setup(size_t bytes)
{
    n = 640;
    rows = (int)(bytes / 13 / (size_t)n);
    x = bench_floats((size_t)rows * n, -1, 1);
    residual = bench_floats((size_t)rows * n, -1, 1);
    out = bench_floats((size_t)rows * n, -1, 1);
    bias = bench_floats((size_t)n, -1, 1);
    mask = bench_bytes((size_t)rows * n);
}

void kernel(void) { layer(x, bias, mask, residual, out, rows, n); }
