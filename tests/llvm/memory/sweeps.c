// Sweeps over pointers that may overlap, again and again: where the check finds that they do not, what one sweep stores the next has in registers, also
// what it loads of the neighbours. Elements that lie too far back to be kept in registers would cost the vectors of both loops.
// fuse: jacobi 1, ping_pong 1, wide 1, once 1, far 0, vectors_apart 1
// always: far 1
// forwarded: jacobi 1, ping_pong 3, wide 1
// refuse: far vectorisation-lost
// run: jacobi steps=0..3 n=0..700 a=f64[n+1] b=f64[n+1] alias=any
// run: ping_pong steps=0..3 n=0..700 a=f32[n+1] b=f32[n+1] alias=any
// run: wide steps=0..3 n=0..700 a=f64[n+1] b=f64[n+1] alias=any
// run: once n=0..60 a=f64[n+1] b=f64[n+1] c=f64[n+1] alias=any
// run: far n=0..60 a=f32[n+1] b=f32[n+1] c=f32[n+1]
// run: vectors_apart n=0..100 a=f64[n+1] b=f64[n+1] c=f64[n+1]

void jacobi(int steps, int n, double *a, double *b)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
}

void ping_pong(int steps, int n, float *a, float *b)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.33f * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < n - 1; i++)
            a[i] = 0.33f * (b[i - 1] + b[i] + b[i + 1]);
    }
}

void wide(int steps, int n, double *a, double *b)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 2; i < n - 2; i++)
            b[i] = 0.1 * (a[i - 2] + a[i - 1] + 2.0 * a[i] + a[i + 1] + a[i + 2]);
        for (int i = 2; i < n - 2; i++)
            a[i] = b[i];
    }
}

void once(int n, double *a, double *b, double *c)
{
    for (int i = 1; i < n - 1; i++)
        b[i] = a[i + 1] - a[i];
    for (int i = 2; i < n - 2; i++)
        c[i] = b[i + 1] - b[i - 1] + c[i];
}

void far(int n, const float *restrict a, float *restrict b, float *restrict c)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 0.5f + 1.0f;
    for (int i = 3; i < n - 3; i++)
        c[i] = b[i - 3] + b[i] + b[i + 3];
}

void vectors_apart(int n, const double *restrict a, double *restrict b, double *restrict c)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 0.5 + 1.0;
    for (int i = 8; i < n - 8; i++)
        c[i] = b[i - 8] + b[i + 8];
}
