// What one body stores and another loads stays in a register, for some iterations if need be; and what must not.
// fuse: same 1, twice 2, one_late 1, two_late 1, four_late 1, five_late 1, downwards 1, in_place 1, wide_and_narrow 1, as_integer 1, overwritten 2, overwritten_late 2, perhaps 1, unknown 1, both_load 1, through_pointer 1, own_later 1, stored_sometimes 1
// forwarded: same 1, twice 3, one_late 1, two_late 2, four_late 1, five_late 0, downwards 1, wide_and_narrow 0, as_integer 0, overwritten 2, overwritten_late 1, perhaps 0, both_load 1, own_later 0, stored_sometimes 2
// run: same a=f64[n] b=f64[n] t=f64[n] n=0..40
// run: twice a=f64[n] b=f64[n] t=f64[n] n=0..40
// run: one_late a=f64[n+1] b=f64[n+1] t=f64[n+1] n=0..40
// run: two_late a=f64[n+2] b=f64[n+2] t=f64[n+2] n=0..40
// run: four_late a=f64[n+4] b=f64[n+4] t=f64[n+4] n=0..40
// run: five_late a=f64[n+5] b=f64[n+5] t=f64[n+5] n=0..40
// run: downwards a=f64[n+1] b=f64[n+1] t=f64[n+1] n=0..40
// run: in_place a=f64[n+2] n=0..40
// run: wide_and_narrow a=i32[n] b=i16[2*n] t=i32[n] n=0..40
// run: as_integer a=f64[n] b=i64[n] t=f64[n] n=0..40
// run: overwritten a=f64[n] b=f64[n] t=f64[n] n=0..40
// run: overwritten_late a=f64[n+2] b=f64[n+2] t=f64[n+2] n=0..40
// run: perhaps a=f64[n] b=f64[n] t=f64[n] n=0..40
// run: unknown a=f64[n] b=f64[n] t=f64[n] n=0..40 alias=any
// run: both_load a=f64[n] b=f64[n] t=f64[n] n=0..40
// run: through_pointer a=f64[n+1] b=f64[n+1] t=f64[n+1] n=0..40
// run: stored_sometimes a=f64[n] b=f64[n] t=f64[n+4] n=0..40
// run: own_later a=f64[n+2] b=f64[n+2] t=f64[n+2] n=0..40

void same(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

// Both loops load the same element, and the second one what the first has stored.
void twice(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + a[i];
    for (int i = 0; i < n; i++)
        b[i] = b[i] * 0.5;
}

void one_late(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i + 1] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

void two_late(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i + 2] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0 + t[i + 2];
}

// The places of the first iterations may not be there at all.
void four_late(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i + 4] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

void five_late(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i + 5] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

void downwards(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = n - 1; i >= 0; i--)
        t[i] = a[i] * 2.0;
    for (int i = n - 1; i >= 0; i--)
        b[i] = t[i + 1] + 1.0;
}

void in_place(double *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 2.0;
    for (int i = 1; i < n; i++)
        a[i - 1] = a[i - 1] + a[i] * 0.5;
}

// A load takes half of what was stored.
void wide_and_narrow(const int *restrict a, short *restrict b, int *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 3;
    for (int i = 0; i < n; i++)
        b[i] = *(const __attribute__((may_alias)) short *)&t[i];
}

// The bits are the same, but the type is another.
void as_integer(const double *restrict a, long *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = *(const __attribute__((may_alias)) long *)&t[i] ^ i;
}

// The last of two stores counts.
void overwritten(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 0.25;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

// In between another store has been there.
void overwritten_late(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i + 2] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0.0)
            t[i + 1] = a[i + 1];
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

// The store is not always executed.
void perhaps(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        if (i & 1)
            t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

// Fused where a check says so, and only there may values be kept.
void unknown(const double *a, double *b, double *t, int n)
{
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + a[i];
}

void both_load(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

void through_pointer(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    double *to = t;
    const double *from = t;
    for (int i = 0; i < n; i++)
        *to++ = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = *from++ + 1.0;
}

// What is loaded has not been stored yet.
void own_later(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = t[i + 2] + 1.0;
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
}

// Between two loads of one place another one of the array is stored to, which may be the same.
void stored_sometimes(const double *restrict a, double *restrict b, double *restrict t, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++) {
        double x = t[i];
        if (x > 0.0)
            t[3] = b[i];
        if (i & 1)
            b[i] += t[i];
    }
}
