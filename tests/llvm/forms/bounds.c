// Loops from and to `int`s, and ways out that are never taken.
// fuse: shifted 1, from_below 1, both_ends 1, downwards 1, twice_as_far 1, unsigned_from 1, idle_default 1, far_apart 0
// refuse: far_apart code-growth
// always: far_apart 1
// cooked: from_below 0
// run: shifted x=f64[40] a=f64[40] b=f64[40] lo=0..20 hi=0..38
// run: from_below x=f64[40] a=f64[40] b=f64[40] lo=1..20 hi=0..38
// run: both_ends x=f64[40] a=f64[40] b=f64[40] lo=0..20 hi=2..38
// run: downwards a=f64[40] b=f64[40] lo=0..20 hi=0..38
// run: twice_as_far a=f64[90] b=f64[90] lo=0..20 hi=0..38
// run: unsigned_from a=f64[40] b=f64[40] lo=0..20 hi=0..38
// run: idle_default a=f64[n] b=f64[n] k=i32[n]:0..3 n=0..20
// run: far_apart a=f64[400] b=f64[400] runs=5

void shifted(const double *restrict x, double *restrict a, double *restrict b, int lo, int hi)
{
    for (int i = lo; i < hi; i++)
        a[i] = x[i] + 1;
    for (int i = lo + 1; i < hi; i++)
        b[i] = a[i] - a[i - 1];
}

// Clang forgets that `lo - 1` does not wrap.
void from_below(const double *restrict x, double *restrict a, double *restrict b, int lo, int hi)
{
    for (int i = lo - 1; i < hi; i++)
        a[i] = x[i] + 1;
    for (int i = lo; i < hi; i++)
        b[i] = a[i] - a[i - 1];
}

void both_ends(const double *restrict x, double *restrict a, double *restrict b, int lo, int hi)
{
    for (int i = lo; i < hi; i++)
        a[i] = x[i] + 1;
    for (int i = lo + 1; i < hi - 1; i++)
        b[i] = a[i + 1] - a[i - 1];
}

void downwards(double *restrict a, double *restrict b, int lo, int hi)
{
    for (int i = hi; i > lo; i--)
        a[i] = b[i] + 1;
    for (int i = hi - 1; i > lo; i--)
        b[i] = a[i + 1] * a[i];
}

void twice_as_far(double *restrict a, double *restrict b, int lo, int hi)
{
    for (int i = lo; i < hi; i++)
        a[2 * i + 1] = b[i] + 1;
    for (int i = lo + 1; i < hi; i++)
        b[i] = a[2 * i + 1] - a[2 * i - 1];
}

void unsigned_from(double *restrict a, double *restrict b, unsigned lo, unsigned hi)
{
    for (unsigned long i = lo; i < hi; i++)
        a[i] = b[i] + 1;
    for (unsigned long i = lo; i < hi; i++)
        b[i] *= a[i];
}

void idle_default(double *restrict a, double *restrict b, const int *restrict k, int n)
{
    for (int i = 0; i < n; i++)
        switch (k[i]) {
        case 0: a[i] = 1.0; break;
        case 1: a[i] = b[i]; break;
        case 2: a[i] = -b[i]; break;
        case 3: a[i] *= 3.0; break;
        default: __builtin_unreachable();
        }
    for (int i = 0; i < n; i++)
        b[i] += a[i];
}

// It would be right.
void far_apart(double *restrict a, double *restrict b)
{
    for (int i = 0; i < 20; i++)
        a[i] = b[i] * 2;
    for (int i = 0; i < 400; i++)
        b[i] += a[i];
}
