// function: red_black
// sizes: n=23, m=19
// sizes: n=3, m=3
// sizes: n=2, m=4
// sizes: n=5, m=4
// arrays: u=n*m, f=n*m
// output: u
// temporaries: residual=scalar
// loops: 4 -> 1

// A red and a black sweep of Gauss and Seidel's method in place, and the square of the residual that is left.
double red_black(int n, int m, double u[restrict n][m], const double f[restrict n][m])
{
    double residual[n][m];
    double total = 0.0;
#pragma scop
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            if ((i + j) % 2 == 0)
                u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            if ((i + j) % 2 == 1)
                u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            residual[i][j] = f[i][j] - (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j]);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            total += residual[i][j] * residual[i][j];
#pragma endscop
    return total;
}
