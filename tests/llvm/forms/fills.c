// Loops that clang makes calls of `memset` and `memcpy` are loops like others. Without optimisations they are none of these.
// fuse: cleared 2, copied 1, set_before 1, long_count 1, bytes 1, pattern 1, constant 1, moved 0, of_rows 2, called 1
// fuse: alone 0, other_type 1
// always: alone 1
// cooked: of_rows 0, alone 0
// run: cleared a=f64[n] b=f64[n] c=f64[n] n=0..20
// run: copied a=f64[n] b=f64[n] n=0..20
// run: set_before a=f64[n] b=f64[n] n=0..20
// run: long_count a=f64[n] b=f64[n] n=0..20
// run: bytes a=i8[n] b=i8[n] n=0..40
// run: pattern a=i32[n] b=i32[n] n=0..20
// run: constant a=f64[50] b=f64[50] runs=40
// run: moved a=f64[2*n] n=0..20
// run: of_rows a=f64[3*n] b=f64[3*n] n=0..20
// run: called a=f64[n] b=f64[n] n=0..20
// run: alone a=f64[n] b=f64[n] n=0..20
// run: other_type a=f64[n] b=f64[n] n=0..20

void *memset(void *, int, unsigned long);

void cleared(double *restrict a, double *restrict b, const double *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 0;
    for (int i = 0; i < n; i++)
        b[i] = c[i];
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}

void copied(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 2.0 + 1.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i];
}

void set_before(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 0.0;
    for (int i = 1; i < n; i++)
        a[i] += b[i];
}

void long_count(double *restrict a, double *restrict b, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i];
    for (long i = 0; i < n; i++)
        a[i] *= b[i];
}

void bytes(char *restrict a, char *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 9;
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}

void pattern(int *restrict a, int *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = -1;
    for (int i = 0; i < n; i++)
        b[i] ^= a[i];
}

void constant(double *restrict a, double *restrict b)
{
    for (int i = 0; i < 50; i++)
        a[i] = b[i];
    for (int i = 0; i < 50; i++)
        b[i] = a[i] * 2.0;
}

// The memory may overlap, and copying begins where it has to.
void moved(double *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i + n / 2];
    for (int i = 0; i < n; i++)
        a[i] = a[n - 1 - i] * 2.0;
}

void of_rows(double *restrict a, double *restrict b, int n)
{
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < n; x++)
            a[y * n + x] = 0.0;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < n; x++)
            a[y * n + x] += b[y * n + x];
}

void called(double *restrict a, double *restrict b, int n)
{
    if (n > 0)
        memset(a, 0, n * sizeof(double));
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}

void alone(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 0.0;
    for (int i = 0; i < n; i++)
        b[i] = 1.0 / b[i];
}

// The call moves the bytes of numbers of another type.
void other_type(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        ((long *)a)[i] = ((const long *)b)[i];
    for (int i = 0; i < n; i++)
        a[i] += 1.0;
}
