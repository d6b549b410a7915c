// Nests that are fused one row late where rows are long. Where they are short the parts before and after the fused nest are all that is executed.
// fuse: late 1, three 3, sums 2, guarded 2, shorter 2
// always: late 2, three 4
// refuse: late vectorisation-lost
// run: late a=f64[n*m] b=f64[n*m] c=f64[n*m] n=0..6 m=124..134
// run: three a=f64[n*m] b=f64[n*m] c=f64[n*m] d=f64[n*m] n=0..7 m=124..134
// run: sums a=f64[n*m] b=f64[n*m] n=0..6 m=124..134
// run: guarded a=f64[n*m] b=f64[n*m] c=f64[n*m] n=0..6 m=124..134 k=0..1
// run: shorter a=f64[n*m] b=f64[n*m] c=f64[n*m] n=0..6 m=124..134

void late(const double *restrict a, double *restrict b, double *restrict c, long n, long m)
{
    for (long i = 0; i < n; i++)
        for (long j = 1; j < m - 1; j++)
            b[i * m + j] = a[i * m + j - 1] + a[i * m + j + 1];
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++)
            c[i * m + j] = b[(i - 1) * m + j] - b[(i + 1) * m + j];
}

void three(const double *restrict a, double *restrict b, double *restrict c, double *restrict d, long n, long m)
{
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++)
            b[i * m + j] = a[i * m + j - 1] + a[(i + 1) * m + j];
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++)
            c[i * m + j] = b[(i - 1) * m + j] - b[(i + 1) * m + j];
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++)
            d[i * m + j] = c[(i + 1) * m + j] * 0.5 + d[i * m + j];
}

// What goes from row to row goes through all parts.
double sums(const double *restrict a, double *restrict b, long n, long m)
{
    double s = 0.0, t = 1.0;
    for (long i = 1; i < n - 1; i++)
        for (long j = 0; j < m; j++) {
            b[i * m + j] = a[i * m + j] * 2.0;
            s += a[i * m + j];
        }
    for (long i = 1; i < n - 1; i++)
        for (long j = 0; j < m; j++)
            t = t * 0.5 + b[(i + 1) * m + j] - b[(i - 1) * m + j];
    return s - t;
}

void guarded(const double *restrict a, double *restrict b, double *restrict c, long n, long m, long k)
{
    if (k) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 0; j < m; j++)
                b[i * m + j] = a[i * m + j] * 2.0;
        for (long i = 1; i < n - 1; i++)
            for (long j = 0; j < m; j++)
                c[i * m + j] = b[(i + 1) * m + j] + c[i * m + j];
    }
}

// The second has two rows less.
void shorter(const double *restrict a, double *restrict b, double *restrict c, long n, long m)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            b[i * m + j] = a[i * m + j] * 2.0;
    for (long i = 0; i < n - 2; i++)
        for (long j = 0; j < m; j++)
            c[i * m + j] = b[(i + 1) * m + j] + c[i * m + j];
}
