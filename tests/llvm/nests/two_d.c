// Nests of two loops over rows of symbolic length: fused at both levels where both allow it.
// fuse: both 2, outer_only 1, inner_only 1, transposed 0, rows_behind 2, rows_ahead 2, columns_ahead 2, upside_down 0
// refuse: transposed backward-dependence, upside_down backward-dependence|call-memory
// run: both a=f64[n*m] b=f64[n*m] c=f64[n*m] n=0..8 m=0..8
// run: outer_only a=f64[n*m] b=f64[n*m] c=f64[n*m] n=0..8 m=0..8
// run: inner_only a=f64[n*m] b=f64[n*m] c=f64[m] n=0..8 m=0..8
// run: transposed a=f64[n*n] b=f64[n*n] c=f64[n*n] n=0..8
// run: rows_behind a=f64[n*m] b=f64[n*m] c=f64[n*m] n=0..8 m=0..8
// run: rows_ahead a=f64[(n+1)*m] b=f64[(n+1)*m] c=f64[n*m] n=0..8 m=0..8
// run: columns_ahead a=f64[n*(m+1)] b=f64[n*(m+1)] c=f64[n*(m+1)] n=0..8 m=0..8
// run: upside_down a=f64[n*m] b=f64[n*m] c=f64[n*m] n=0..8 m=0..8

void both(double *restrict a, const double *restrict b, double *restrict c, long n, long m)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            a[i * m + j] = b[i * m + j] * 2.0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            c[i * m + j] = a[i * m + j] + 1.0;
}

// Within a row the order is turned round.
void outer_only(double *restrict a, const double *restrict b, double *restrict c, long n, long m)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            a[i * m + j] = b[i * m + j] * 2.0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            c[i * m + j] = a[i * m + (m - 1 - j)] + 1.0;
}

void inner_only(double *restrict a, const double *restrict b, double *restrict c, long n, long m)
{
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < m; j++)
            a[i * m + j] = b[i * m + j] * 2.0;
        for (long j = 0; j < m; j++)
            c[j] = c[j] + a[i * m + j];
    }
}

void transposed(double *restrict a, const double *restrict b, double *restrict c, long n)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            a[i * n + j] = b[i * n + j] * 2.0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            c[i * n + j] = a[j * n + i] + 1.0;
}

void rows_behind(double *restrict a, const double *restrict b, double *restrict c, long n, long m)
{
    for (long i = 1; i < n; i++)
        for (long j = 0; j < m; j++)
            a[i * m + j] = b[i * m + j] * 2.0;
    for (long i = 1; i < n; i++)
        for (long j = 0; j < m; j++)
            c[i * m + j] = a[i * m + j] - a[(i - 1) * m + j];
}

// The second nest follows one row behind: its inner loops stand in other iterations than those that feed them, which are apart by a row.
void rows_ahead(double *restrict a, const double *restrict b, double *restrict c, long n, long m)
{
    for (long i = 0; i < n + 1; i++)
        for (long j = 0; j < m; j++)
            a[i * m + j] = b[i * m + j] * 2.0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m - 1; j++)
            c[i * m + j] = a[i * m + j] + a[(i + 1) * m + j + 1];
}

void columns_ahead(double *restrict a, const double *restrict b, double *restrict c, long n, long m)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m + 1; j++)
            a[i * (m + 1) + j] = b[i * (m + 1) + j] * 2.0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            c[i * (m + 1) + j] = a[i * (m + 1) + j] + a[i * (m + 1) + j + 1];
}

void upside_down(double *restrict a, const double *restrict b, double *restrict c, long n, long m)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            a[i * m + j] = b[i * m + j] * 2.0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            c[i * m + j] = a[(n - 1 - i) * m + j] + 1.0;
}
