// Loops are what they count, however they are written.
// fuse: down 1, down_and_up 0, by_two 1, by_three 1, not_equal 1, inclusive 1, unsigned_index 1, wide_and_narrow 1, pointers 1, do_while 1, while_form 1, pointer_and_index 1, scaled 1, unsigned_down 1, up_to_the_end 0
// cooked: up_to_the_end 1
// refuse: down_and_up backward-dependence
// run: down a=f64[n] b=f64[n] n=0..20
// run: down_and_up a=f64[n] b=f64[n] n=0..20
// run: by_two a=f64[n+1] b=f64[n+1] n=0..20
// run: by_three a=i32[n+2] b=i32[n+2] n=0..20
// run: not_equal a=f64[n] b=f64[n] n=0..20
// run: inclusive a=f64[n+1] b=f64[n+1] n=-1..20
// run: unsigned_index a=f32[n] b=f32[n] n=0..20
// run: wide_and_narrow a=f64[n] b=f64[n] n=0..20
// run: pointers a=f64[n] b=f64[n] n=0..20
// run: do_while a=f64[n] b=f64[n] n=1..20
// run: while_form a=f64[n] b=f64[n] n=0..20
// run: up_to_the_end a=f64[n] b=f64[n] c=f64[n] n=0..20
// run: pointer_and_index a=f64[n] b=f64[n] n=0..20
// run: scaled a=f64[2*n+1] b=f64[2*n+1] n=0..20
// run: unsigned_down a=i32[n] b=i32[n] n=0..20

void down(double *restrict a, double *restrict b, int n)
{
    for (int i = n - 1; i >= 0; i--)
        a[i] = b[i] * 2.0;
    for (int i = n - 1; i >= 0; i--)
        b[i] = a[i] + 1.0;
}

void down_and_up(double *restrict a, double *restrict b, int n)
{
    for (int i = n - 1; i >= 0; i--)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

void by_two(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i += 2)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i += 2)
        b[i] = a[i] + 1.0;
}

void by_three(unsigned *restrict a, unsigned *restrict b, int n)
{
    for (int i = 0; i < n; i += 3)
        a[i + 1] = b[i] * 2u;
    for (int i = 0; i < n; i += 3)
        b[i + 2] = a[i + 1] + a[i];
}

void not_equal(double *restrict a, double *restrict b, unsigned long n)
{
    for (unsigned long i = 0; i != n; i++)
        a[i] = b[i] * 2.0;
    for (unsigned long i = 0; i != n; i++)
        b[i] = a[i] + 1.0;
}

void inclusive(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i <= n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i <= n; i++)
        b[i] = a[i] + 1.0;
}

void unsigned_index(float *restrict a, float *restrict b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        a[i] = b[i] * 2.0f;
    for (unsigned i = 0; i < n; i++)
        b[i] = a[i] + 1.0f;
}

void wide_and_narrow(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (long i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

void pointers(double *restrict a, double *restrict b, long n)
{
    double *from = b;
    for (double *to = a; to != a + n; to++)
        *to = *from++ * 2.0;
    from = a;
    for (double *to = b; to != b + n; to++)
        *to = *from++ + 1.0;
}

void do_while(double *restrict a, double *restrict b, int n)
{
    int i = 0;
    do {
        a[i] = b[i] * 2.0;
        i++;
    } while (i < n);
    i = 0;
    do {
        b[i] = a[i] + 1.0;
        i++;
    } while (i < n);
}

void while_form(double *restrict a, double *restrict b, int n)
{
    int i = 0;
    while (i < n) {
        a[i] = b[i] * 2.0;
        i++;
    }
    i = 0;
    while (i < n) {
        b[i] = a[i] + 1.0;
        i++;
    }
}

void pointer_and_index(double *restrict a, double *restrict b, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    double *from = a;
    for (double *to = b; to < b + n; to++, from++)
        *to = *from + 1.0;
}

// One loop counts elements, the other twice as much.
void scaled(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[2 * i] = b[2 * i] * 2.0;
    for (int i = 0; i < 2 * n; i += 2)
        b[i] = a[i] + 1.0;
}

void unsigned_down(unsigned *restrict a, unsigned *restrict b, unsigned long n)
{
    for (unsigned long i = n; i-- > 0;)
        a[i] = b[i] * 2u;
    for (unsigned long i = n; i-- > 0;)
        b[i] = a[i] + 1u;
}

// The second walk ends where the first one's second pointer was at last.
void up_to_the_end(const double *restrict a, double *restrict b, double *restrict c, long n)
{
    const double *p = a, *end = a + n;
    double *q = b, *r = c;
    while (p != end)
        *q++ = *p++ * 2.0;
    for (double *s = b; s != q; s++)
        *r++ = *s + 1.0;
}
