/* Softmax of the rows of a matrix as textbooks write it: maximum, exponentials, their sum, division. */
#include "../bench.h"
#include <math.h>

static void softmax_row(float *row, int n)
{
    float max = row[0];
    for (int i = 1; i < n; i++)
        if (row[i] > max)
            max = row[i];
    for (int i = 0; i < n; i++)
        row[i] = expf(row[i] - max);
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += row[i];
    for (int i = 0; i < n; i++)
        row[i] /= sum;
}

ENTRY void softmax(const float *in, float *out, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        float *row = out + (size_t)r * columns;
        for (int i = 0; i < columns; i++)
            row[i] = in[(size_t)r * columns + i];
        softmax_row(row, columns);
    }
}

static float *in, *out;
static int rows, columns;

void setup(size_t bytes)
{
    columns = 500;
    rows = (int)(bytes / (2 * sizeof(float)) / (size_t)columns);
    in = bench_floats((size_t)rows * columns, -5, 5);
    out = bench_floats((size_t)rows * columns, 0, 1);
}

void kernel(void) { softmax(in, out, rows, columns); }
