// function: two_products
// sizes: ni=12, nj=15, nk=10, nl=14
// sizes: ni=1, nj=1, nk=1, nl=1
// sizes: ni=3, nj=2, nk=4, nl=1
// arrays: a=ni*nk, b=nk*nj, c=nj*nl, d=ni*nl
// output: d
// temporaries: tmp=window nj
// loops: 2 -> 1

// d = alpha a b c + beta d, by dot products: every element of a row of d needs the whole row of a b.
void two_products(int ni, int nj, int nk, int nl, double alpha, double beta, const double a[restrict ni][nk],
                  const double b[restrict nk][nj], const double c[restrict nj][nl], double d[restrict ni][nl])
{
    double tmp[ni][nj];
#pragma scop
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            tmp[i][j] = 0.0;
            for (int k = 0; k < nk; ++k)
                tmp[i][j] += alpha * a[i][k] * b[k][j];
        }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            double sum = beta * d[i][j];
            for (int k = 0; k < nj; ++k)
                sum += tmp[i][k] * c[k][j];
            d[i][j] = sum;
        }
#pragma endscop
}
