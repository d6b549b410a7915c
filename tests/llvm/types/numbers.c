// Types of elements and of sums.
// fuse: bytes 1, shorts 1, words 1, longs 1, singles 1, doubles 1, mixed 1, strict_sums 1, strict_single 1, exact_minimum 1, counts 1, masks 1
// run: bytes a=i8[n] b=i8[n] n=0..40
// run: shorts a=i16[n] b=i16[n] n=0..40
// run: words a=i32[n] b=i32[n] n=0..40
// run: longs a=i64[n] b=i64[n] n=0..40
// run: singles a=f32[n] b=f32[n] n=0..40
// run: doubles a=f64[n] b=f64[n] n=0..40
// run: mixed a=i16[n] b=f32[n] c=f64[n] n=0..40
// run: strict_sums a=f64[n] b=f64[n] n=0..40
// run: strict_single a=f32[n] n=0..40
// run: exact_minimum a=f64[n] n=0..40
// run: counts a=i32[n] n=0..40
// run: masks a=i64[n] b=i64[n] n=0..40

void bytes(signed char *restrict a, signed char *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = (signed char)(b[i] * 3);
    for (int i = 0; i < n; i++)
        b[i] = (signed char)(a[i] >> 1);
}

void shorts(short *restrict a, short *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = (short)(b[i] * 301);
    for (int i = 0; i < n; i++)
        b[i] = (short)(a[i] + b[i]);
}

void words(unsigned *restrict a, unsigned *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2654435761u;
    for (int i = 0; i < n; i++)
        b[i] = a[i] >> 3 ^ a[i];
}

void longs(unsigned long *restrict a, unsigned long *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < n; i++)
        b[i] = a[i] / 3 + a[i] % 7;
}

void singles(float *restrict a, float *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] / 3.0f;
    for (int i = 0; i < n; i++)
        b[i] = a[i] * a[i] - b[i];
}

void doubles(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] / 3.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] * a[i] - b[i];
}

void mixed(const short *restrict a, float *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 0.5f;
    for (int i = 0; i < n; i++)
        c[i] = b[i] + (double)a[i];
}

// Neither sum is reordered.
double strict_sums(const double *restrict a, const double *restrict b, int n)
{
    double s = 0.0, t = 1.0;
    for (int i = 0; i < n; i++)
        s = s + a[i] * b[i];
    for (int i = 0; i < n; i++)
        t = t * 0.5 + a[i];
    return s / t;
}

float strict_single(const float *restrict a, int n)
{
    float s = 0.0f, t = 0.0f;
    for (int i = 0; i < n; i++)
        s += a[i];
    for (int i = n - 1; i >= 0; i--)
        t += a[n - 1 - i] * 2.0f;
    return s - t;
}

double exact_minimum(const double *restrict a, int n)
{
    double low = 1e30, high = -1e30;
    for (int i = 0; i < n; i++)
        if (a[i] < low)
            low = a[i];
    for (int i = 0; i < n; i++)
        high = __builtin_fmax(high, a[i]);
    return low * 0.5 + high;
}

long counts(const int *restrict a, int n)
{
    long positive = 0, odd = 0;
    for (int i = 0; i < n; i++)
        positive += a[i] > 0;
    for (int i = 0; i < n; i++)
        odd += a[i] & 1;
    return positive * 1000 + odd;
}

unsigned long masks(const unsigned long *restrict a, const unsigned long *restrict b, int n)
{
    unsigned long all = ~0ul, any = 0;
    for (int i = 0; i < n; i++)
        all &= a[i] | b[i];
    for (int i = 0; i < n; i++)
        any |= a[i] ^ b[i];
    return all ^ any;
}
