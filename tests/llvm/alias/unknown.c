// Pointers that may overlap: a check before the loops chooses between the fused loop and the original ones.
// fuse: two 1, three 1, same_type 1, in_place 1, offsets 1, three_loops 2, unequal 1, of_bytes 1, shifted 1, result 1
// run: two a=f64[n] b=f64[n] n=0..20 alias=any
// run: three a=f64[n] b=f64[n] c=f64[n] n=0..20 alias=any
// run: same_type a=i32[n] b=i32[n] n=0..20 alias=any
// run: in_place a=f32[n] b=f32[n] n=0..20 alias=any
// run: offsets a=f64[n+2] b=f64[n+2] c=f64[n+2] n=0..20 alias=any
// run: three_loops a=f64[n] b=f64[n] c=f64[n] n=0..20 alias=any
// run: unequal a=f64[20] b=f64[20] c=f64[20] n=0..20 m=0..20 alias=any
// run: of_bytes a=i8[n] b=i8[n] n=0..20 alias=any
// run: shifted a=f64[n+1] b=f64[n+1] c=f64[n+1] n=0..20 alias=any
// run: result a=f64[n] b=f64[n] n=0..20 alias=any

void two(double *a, double *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

void three(double *a, const double *b, double *c, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

void same_type(unsigned *a, unsigned *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] += 3u;
    for (int i = 0; i < n; i++)
        b[i] *= a[i];
}

void in_place(float *a, float *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 0.5f + b[i];
    for (int i = 0; i < n; i++)
        a[i] = a[i] - b[i];
}

void offsets(double *a, const double *b, double *c, int n)
{
    for (int i = 0; i < n; i++)
        a[i + 1] = b[i] + b[i + 2];
    for (int i = 0; i < n; i++)
        c[i] = a[i + 1] * b[i + 1];
}

void three_loops(double *a, double *b, double *c, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 0.5;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + c[i];
    for (int i = 0; i < n; i++)
        c[i] = a[i] - b[i];
}

void unequal(double *a, const double *b, double *c, int n, int m)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 0.5;
    for (int i = 0; i < m; i++)
        c[i] = a[i] + b[i];
}

void of_bytes(unsigned char *a, unsigned char *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] ^ 0x55;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + b[i];
}

void shifted(double *a, const double *b, double *c, int n)
{
    for (int i = 0; i <= n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        c[i] = a[i] + a[i + 1];
}

double result(double *a, const double *b, int n)
{
    double sum = 0.0, product = 1.0;
    for (int i = 0; i < n; i++) {
        a[i] = b[i] * 2.0;
        sum += a[i];
    }
    for (int i = 0; i < n; i++)
        product = product * 0.5 + b[i];
    return sum * product;
}
