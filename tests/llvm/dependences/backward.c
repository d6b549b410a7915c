// What the second loop reads may be made in any later iteration of the first: that hinders, however the loops are shifted.
// fuse: reversed 0, at_the_end 0, any_place 0, stretched 0
// refuse: reversed backward-dependence, at_the_end backward-dependence|preheader-code, any_place backward-dependence, stretched backward-dependence
// run: reversed a=f64[n] b=f64[n] c=f64[n] n=0..20
// run: at_the_end a=f64[n+1] b=f64[n+1] c=f64[n+1] n=0..20
// run: any_place a=f64[n] b=f64[n] c=f64[n] at=i32[n]:0..n-1 n=0..20
// run: stretched a=f64[2*n] b=f64[2*n] c=f64[2*n] n=0..20

void reversed(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        c[i] = a[n - 1 - i];
}

void at_the_end(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i <= n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i <= n; i++)
        c[i] = b[i] / a[n];
}

void any_place(double *restrict a, const double *restrict b, double *restrict c, const int *restrict at, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        c[i] = a[at[i]];
}

void stretched(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < 2 * n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        c[i] = a[2 * i] + a[2 * i + 1];
}
