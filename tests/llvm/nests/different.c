// Nests whose inner loops differ: the outer loops fuse, the inner ones where they can.
// fuse: depth 1, bounds 0, triangle_and_square 2, three_inner 3, matrix_vector 1, inside_if 1, sums_of_rows_then_columns 0
// refuse: bounds backward-dependence, sums_of_rows_then_columns backward-dependence
// run: depth a=f64[n*m] s=f64[n] n=0..8 m=0..8
// run: bounds a=f64[n*16] b=f64[n*16] n=0..8 m=0..16 k=0..16
// run: triangle_and_square a=f64[n*n] b=f64[n*n] n=0..8
// run: three_inner a=f64[n*m] b=f64[n*m] c=f64[n*m] n=0..8 m=0..8
// run: matrix_vector a=f64[n*m] x=f64[m] y=f64[n] n=0..8 m=0..8
// run: inside_if a=f64[n*m] b=f64[n*m] n=0..8 m=0..8
// run: sums_of_rows_then_columns a=f64[n*m] r=f64[n] c=f64[m] n=0..8 m=0..8

// A nest and a single loop.
void depth(double *restrict a, double *restrict s, long n, long m)
{
    for (long i = 0; i < n; i++)
        s[i] = s[i] * 0.5;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            a[i * m + j] += s[i];
}

// Rows of 16 elements, of which the loops may run over more for all that is known: then a row's end is the next row's start.
void bounds(double *restrict a, double *restrict b, long n, long m, long k)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            a[i * 16 + j] = b[i * 16 + j] * 0.5;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < k; j++)
            b[i * 16 + j] = a[i * 16 + j] + 1.0;
}

void triangle_and_square(double *restrict a, double *restrict b, long n)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++)
            a[i * n + j] = b[i * n + j] * 0.5;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            b[i * n + j] = a[i * n + j] + 1.0;
}

// One outer loop of four inner loops.
void three_inner(double *restrict a, double *restrict b, double *restrict c, long n, long m)
{
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < m; j++)
            a[i * m + j] += 1.0;
        for (long j = 0; j < m; j++)
            b[i * m + j] += a[i * m + j];
        for (long j = 0; j < m; j++)
            c[i * m + j] += b[i * m + j];
        for (long j = 0; j < m; j++)
            a[i * m + j] -= c[i * m + j];
    }
}

// The outer loops fuse; in the inner ones, the second needs the first's sum.
void matrix_vector(double *restrict a, const double *restrict x, double *restrict y, long n, long m)
{
    for (long i = 0; i < n; i++) {
        double sum = 0.0;
        for (long j = 0; j < m; j++)
            sum += a[i * m + j] * x[j];
        y[i] = sum;
    }
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            a[i * m + j] -= y[i] * x[j];
}

// Inner loops under a condition.
void inside_if(double *restrict a, double *restrict b, long n, long m)
{
    for (long i = 0; i < n; i++)
        if (i % 2) {
            for (long j = 0; j < m; j++)
                a[i * m + j] = b[i * m + j] * 0.5;
            for (long j = 0; j < m; j++)
                b[i * m + j] = a[i * m + j] + 1.0;
        }
}

// Sums of columns normalise rows: no row can begin before the last column is done.
void sums_of_rows_then_columns(double *restrict a, double *restrict r, double *restrict c, long n, long m)
{
    for (long j = 0; j < m; j++)
        for (long i = 0; i < n; i++)
            a[i * m + j] *= c[j];
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            r[i] += a[i * m + j];
}
