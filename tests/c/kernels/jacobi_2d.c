// function: jacobi_2d
// sizes: n=32, m=27
// sizes: n=5, m=5
// sizes: n=2, m=6
// arrays: a=n*m, b=n*m
// output: b
// temporaries: once=window 3 x m, twice=window 3 x m
// loops: 3 -> 1

// Three sweeps, each on what the one before has left of the inner points.
void jacobi_2d(int n, int m, const double a[restrict n][m], double b[restrict n][m])
{
    double once[n][m], twice[n][m];
#pragma scop
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            once[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < m - 2; j++)
            twice[i][j] = 0.2 * (once[i][j] + once[i - 1][j] + once[i + 1][j] + once[i][j - 1] + once[i][j + 1]);
    for (int i = 3; i < n - 3; i++)
        for (int j = 3; j < m - 3; j++)
            b[i][j] = 0.2 * (twice[i][j] + twice[i - 1][j] + twice[i + 1][j] + twice[i][j - 1] + twice[i][j + 1]);
#pragma endscop
}
