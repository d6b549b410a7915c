// Trip counts that differ: iterations of the longer loop are split off.
// fuse: first_longer_by_one 1, first_longer_by_three 1, second_longer_by_one 1, second_longer_by_two 1, unrelated 1, starts_later 1
// run: first_longer_by_one a=f64[n] b=f64[n] c=f64[n] n=0..20
// run: first_longer_by_three a=f64[n+3] b=f64[n+3] c=f64[n] n=0..20
// run: second_longer_by_one a=f64[n+1] b=f64[n+1] c=f64[n+1] n=0..20
// run: second_longer_by_two a=i32[n+2] b=i32[n+2] n=0..20
// run: unrelated a=f64[32] b=f64[32] c=f64[32] n=0..20 m=0..20
// run: starts_later a=f64[n+1] b=f64[n+1] c=f64[n+1] n=0..20

void first_longer_by_one(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 1.0;
    for (int i = 0; i < n - 1; i++)
        c[i] = a[i] * b[i];
}

void first_longer_by_three(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n + 3; i++)
        a[i] = b[i] + 1.0;
    for (int i = 0; i < n; i++)
        c[i] = a[i] * b[i];
}

void second_longer_by_one(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 1.0;
    for (int i = 0; i < n + 1; i++)
        c[i] = a[i] * b[i];
}

void second_longer_by_two(unsigned *restrict a, unsigned *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 1u;
    for (int i = 0; i < n + 2; i++)
        b[i] = a[i] * 3u;
}

void unrelated(double *restrict a, const double *restrict b, double *restrict c, int n, int m)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 1.0;
    for (int i = 0; i < m; i++)
        c[i] = a[i] * b[i];
}

void starts_later(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i <= n; i++)
        a[i] = b[i] + 1.0;
    for (int i = 1; i <= n; i++)
        c[i] = a[i] * b[i];
}
