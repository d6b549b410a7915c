// What the first loop made in an earlier iteration is ready: reads at a distance behind are fine, and so are writes behind what was read.
// fuse: read_behind 1, read_three_behind 1, write_ahead 1, running 1
// run: read_behind a=f64[n+1] b=f64[n+1] c=f64[n+1] n=0..20
// run: read_three_behind a=i32[n] b=i32[n] n=0..20
// run: write_ahead a=f64[n+2] b=f64[n] n=0..20
// run: running a=f32[n+1] b=f32[n+1] n=0..20

void read_behind(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 1; i <= n; i++)
        a[i] = b[i] * 0.5;
    for (int i = 1; i <= n; i++)
        c[i] = a[i] - a[i - 1];
}

// The first iterations of both loops are none of the second's.
void read_three_behind(unsigned *restrict a, unsigned *restrict b, long n)
{
    for (long i = 3; i < n; i++)
        a[i] = b[i] ^ 21u;
    for (long i = 3; i < n; i++)
        b[i] = a[i - 3] + a[i - 2];
}

// The second loop writes what the first has read in an earlier iteration.
void write_ahead(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i + 2] + a[i + 1];
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 0.5;
}

// Each loop depends on its own earlier iterations as well.
void running(float *restrict a, float *restrict b, int n)
{
    for (int i = 1; i <= n; i++)
        a[i] = a[i - 1] * 0.5f + b[i];
    for (int i = 1; i <= n; i++)
        b[i] = b[i - 1] * 0.25f + a[i];
}
