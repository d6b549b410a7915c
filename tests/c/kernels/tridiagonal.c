// function: tridiagonal
// sizes: n=60
// sizes: n=2
// sizes: n=3
// arrays: f=n, u=n
// output: u
// temporaries: diagonal=scalar, rhs=scalar, upper=kept, reduced=kept, x=scalar
// loops: 5 -> 2

// One implicit step of a diffusion: the Thomas algorithm. The way back needs all of the way forth.
void tridiagonal(int n, double r, const double *restrict f, double *restrict u)
{
    double diagonal[n], rhs[n], upper[n], reduced[n], x[n];
#pragma scop
    for (int i = 0; i < n; i++)
        diagonal[i] = 1.0 + 2.0 * r + 0.001 * f[i];
    for (int i = 0; i < n; i++)
        rhs[i] = u[i] + 0.1 * f[i];

    upper[0] = -r / diagonal[0];
    reduced[0] = rhs[0] / diagonal[0];
    for (int i = 1; i < n; i++) {
        double pivot = diagonal[i] + r * upper[i - 1];
        upper[i] = -r / pivot;
        reduced[i] = (rhs[i] + r * reduced[i - 1]) / pivot;
    }

    x[n - 1] = reduced[n - 1];
    for (int i = n - 2; i >= 0; i--)
        x[i] = reduced[i] - upper[i] * x[i + 1];
    for (int i = 0; i < n; i++)
        u[i] = 0.9 * x[i] + 0.1;
#pragma endscop
}
