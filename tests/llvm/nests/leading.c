// Rows of a larger matrix: that a row is no longer than the distance to the next is checked when the program runs. Where it is not,
// rows overlap.
// fuse: scale_add 2, below_diagonal 2, wide 2, constant_rows 2, shifted_rows 2, read_behind 1, two_distances 0
// run: scale_add a=f64[n*lda+m+1] b=f64[n*lda+m+1] n=0..6 m=0..7 lda=0..9
// run: below_diagonal a=f64[n*lda+n+1] b=f64[n*lda+n+1] n=0..7 lda=0..9
// run: wide a=f32[n*lda+m+1] b=f32[n*lda+m+1] n=0..6 m=0..7 lda=0..9
// run: constant_rows a=f64[n*lda+9] b=f64[n*lda+9] n=0..6 lda=0..12
// run: shifted_rows a=f64[n*lda+m+2] b=f64[n*lda+m+2] n=0..6 m=0..7 lda=0..9
// run: read_behind a=f64[(n+1)*lda+m+2] b=f64[(n+1)*lda+m+2] n=0..6 m=0..7 lda=0..9
// run: two_distances a=f64[n*9+m+2] b=f64[n*9+m+2] n=0..6 m=0..7 lda=0..9 ldb=0..9

void scale_add(double *restrict a, double *restrict b, int n, int m, int lda)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * lda + j] *= 2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i * lda + j] += a[i * lda + j];
}

void below_diagonal(double *restrict a, double *restrict b, long n, long lda)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < i; j++)
            a[i * lda + j] *= 2;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < i; j++)
            b[i * lda + j] += a[i * lda + j];
}

void wide(float *restrict a, float *restrict b, long n, long m, long lda)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            a[i * lda + j] *= 2;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            b[i * lda + j] += a[i * lda + j];
}

void constant_rows(double *restrict a, double *restrict b, int n, int lda)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 9; j++)
            a[i * lda + j] *= 2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 9; j++)
            b[i * lda + j] += a[i * lda + j];
}

void shifted_rows(double *restrict a, double *restrict b, int n, int m, int lda)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * lda + j] *= 2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i * lda + j] += a[i * lda + j + 1];
}

void read_behind(double *restrict a, double *restrict b, int n, int m, int lda)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[(i + 1) * lda + j] *= 2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i * lda + j] += a[i * lda + j];
}

// The rows of the loops are not the same.
void two_distances(double *restrict a, double *restrict b, int n, int m, int lda, int ldb)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * lda + j] *= 2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i * ldb + j] += a[i * ldb + j];
}
