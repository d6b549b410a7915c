// function: softmax_rows
// sizes: rows=20, cols=33
// sizes: rows=1, cols=1
// sizes: rows=4, cols=2
// arrays: in=rows*cols, out=rows*cols
// output: out
// temporaries: largest=scalar, shifted=scalar, power=window cols, sum=scalar
// loops: 6 -> 1

#include <math.h>
#include <stdlib.h>

// Every row becomes weights that sum to one: exponentials of the distances to its largest value, divided by their sum.
void softmax_rows(const double *restrict in, double *restrict out, int rows, int cols)
{
#pragma scop
    double *restrict largest = malloc(sizeof(double) * rows);
    double *restrict shifted = malloc(sizeof(double) * rows * cols);
    double *restrict power = malloc(sizeof(double) * rows * cols);
    double *restrict sum = malloc(sizeof(double) * rows);

    for (int i = 0; i < rows; i++) {
        largest[i] = in[i * cols];
        for (int j = 1; j < cols; j++)
            if (in[i * cols + j] > largest[i])
                largest[i] = in[i * cols + j];
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            shifted[i * cols + j] = in[i * cols + j] - largest[i];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            power[i * cols + j] = exp(shifted[i * cols + j]);

    for (int i = 0; i < rows; i++)
        sum[i] = 0.0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            sum[i] += power[i * cols + j];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            out[i * cols + j] = power[i * cols + j] / sum[i];

    free(sum);
    free(power);
    free(shifted);
    free(largest);
#pragma endscop
}
