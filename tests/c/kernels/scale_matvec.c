// function: scale_matvec
// sizes: n=33, m=47
// sizes: n=1, m=1
// sizes: n=4, m=2
// arrays: a=n*m, x=m, y=n
// output: y
// temporaries: scaled=scalar, product=scalar
// loops: 4 -> 1

// y = relu((alpha A) x), with the scaled matrix spelled out.
void scale_matvec(int n, int m, double alpha, const double a[restrict n][m], const double x[restrict m],
                  double y[restrict n])
{
    double scaled[n][m], product[n];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            scaled[i][j] = alpha * a[i][j];
    for (int i = 0; i < n; i++)
        product[i] = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            product[i] += scaled[i][j] * x[j];
    for (int i = 0; i < n; i++)
        y[i] = product[i] > 0.0 ? product[i] : 0.0;
#pragma endscop
}
