// function: scalar_temporaries
// sizes: n=58
// sizes: n=1
// sizes: n=4
// arrays: x=n, y=n, r=n, phi=n, out=n
// output: r, phi, out
// temporaries: scale=scalar
// loops: 3 -> 1

// Scalars from outside of the loops serve every loop; each has its own value in each iteration.
void scalar_temporaries(int n, const double *restrict x, const double *restrict y, double *restrict r,
                        double *restrict phi, double *restrict out)
{
    double scale[n];
    double a, b, t;
    int i;
#pragma scop
    for (i = 0; i < n; i++) {
        a = x[i] < 0.0 ? -x[i] : x[i];
        b = y[i] < 0.0 ? -y[i] : y[i];
        t = a > b ? a : b;
        scale[i] = t;
        r[i] = t + 0.4 * (a + b - t);
    }
    for (i = 0; i < n; i++) {
        t = scale[i] + 1e-9;
        a = x[i] / t;
        b = y[i] / t;
        phi[i] = a * (1.0 - 0.3 * b * b);
    }
    for (i = 0; i < n; i++) {
        t = phi[i] * r[i];
        out[i] = t * t - scale[i];
    }
#pragma endscop
}
