// function: lower_solve
// sizes: n=28
// sizes: n=1
// sizes: n=3
// arrays: l=n*n, b=n, x=n
// output: x
// temporaries: scaled=scalar, rhs=scalar
// loops: 3 -> 1

// Forward substitution with a triangular matrix that is scaled first; triangular nests.
void lower_solve(int n, double alpha, const double l[restrict n][n], const double b[restrict n], double x[restrict n])
{
    double scaled[n][n], rhs[n];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            scaled[i][j] = alpha * l[i][j] / n;
    for (int i = 0; i < n; i++)
        rhs[i] = 0.5 * b[i] + 1.0;
    for (int i = 0; i < n; i++) {
        double sum = rhs[i];
        for (int j = 0; j < i; j++)
            sum -= scaled[i][j] * x[j];
        x[i] = sum;
    }
#pragma endscop
}
