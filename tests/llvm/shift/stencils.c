// The second loop reads what the first makes some iterations later: it follows at that distance, with iterations of each loop alone before and after.
// fuse: one 1, two 1, three 1, both_sides 1, of_stencil 2, anti 1, output 1
// run: one a=f64[n+1] b=f64[n+1] c=f64[n+1] n=0..20
// run: two a=f64[n+2] b=f64[n+2] c=f64[n+2] n=0..20
// run: three a=i32[n+3] b=i32[n+3] c=i32[n+3] n=0..20
// run: both_sides a=f64[n+2] b=f64[n+2] c=f64[n+2] n=0..20
// run: of_stencil a=f32[n+4] b=f32[n+4] c=f32[n+4] d=f32[n+4] n=0..20
// run: anti a=f64[n+2] b=f64[n+2] n=0..20
// run: output a=f64[n+2] b=f64[n+2] n=0..20

void one(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + b[i + 1];
    for (int i = 0; i < n - 1; i++)
        c[i] = a[i] + a[i + 1];
}

void two(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n + 2; i++)
        a[i] = b[i] * 3.0;
    for (int i = 0; i < n; i++)
        c[i] = a[i + 2] - a[i];
}

void three(unsigned *restrict a, const unsigned *restrict b, unsigned *restrict c, int n)
{
    for (int i = 0; i < n + 3; i++)
        a[i] = b[i] * 5u;
    for (int i = 0; i < n; i++)
        c[i] = a[i + 3] + a[i + 1];
}

void both_sides(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n + 2; i++)
        a[i] = b[i] * b[i];
    for (int i = 1; i <= n; i++)
        c[i] = a[i - 1] + a[i] + a[i + 1];
}

void of_stencil(float *restrict a, float *restrict b, float *restrict c, float *restrict d, int n)
{
    for (int i = 0; i < n + 4; i++)
        b[i] = a[i] * 0.5f;
    for (int i = 1; i < n + 3; i++)
        c[i] = b[i - 1] + b[i + 1];
    for (int i = 2; i < n + 2; i++)
        d[i] = c[i - 1] + c[i + 1];
}

// The first loop reads what the second overwrites some iterations earlier.
void anti(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
    for (int i = 0; i < n; i++)
        a[i + 2] = b[i] * 2.0;
}

// The second loop's values are to be the last ones.
void output(double *restrict a, const double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i + 1] = b[i + 1] * 0.5;
    for (int i = 0; i < n; i++)
        a[i + 2] = b[i] - 1.0;
}
