// function: local_contrast
// sizes: n=28, m=36
// sizes: n=3, m=3
// sizes: n=2, m=4
// arrays: in=n*m, out=n*m
// output: out
// temporaries: sum_x=window 3 x m, square_x=window 3 x m, mean=scalar, deviation=scalar
// loops: 5 -> 1

#include <math.h>

// Divides by the standard deviation in the 3 x 3 neighbourhood, after taking the mean away.
void local_contrast(int n, int m, const double in[restrict n][m], double out[restrict n][m])
{
    double sum_x[n][m], square_x[n][m], mean[n][m], deviation[n][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m - 1; j++)
            sum_x[i][j] = in[i][j - 1] + in[i][j] + in[i][j + 1];
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m - 1; j++)
            square_x[i][j] = in[i][j - 1] * in[i][j - 1] + in[i][j] * in[i][j] + in[i][j + 1] * in[i][j + 1];

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            mean[i][j] = (sum_x[i - 1][j] + sum_x[i][j] + sum_x[i + 1][j]) / 9.0;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            deviation[i][j] = sqrt(fabs((square_x[i - 1][j] + square_x[i][j] + square_x[i + 1][j]) / 9.0
                                        - mean[i][j] * mean[i][j]));

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            out[i][j] = (in[i][j] - mean[i][j]) / (deviation[i][j] + 1e-3);
#pragma endscop
}
