// A single element that is stored between two loops hinders only if both of them touch it.
// fuse: before_first 1, behind_last 1, both_borders 1, first_only 1, within 0, second_only 1, of_a_row 1, at_any_place 0, by_branch 1
// fuse: first_of_first 0, same_value 1, other_value 0
// refuse: within code-between, at_any_place code-between, first_of_first code-between
// run: before_first a=f64[n+1] b=f64[n+1] n=0..20
// run: behind_last a=f64[n+1] b=f64[n+1] n=0..20
// run: both_borders a=f64[n+2] b=f64[n+2] n=0..20
// run: first_only a=f64[n+1] b=f64[n+1] n=1..20
// run: within a=f64[n+1] b=f64[n+1] n=0..20
// run: second_only a=f64[n+2] b=f64[n+2] n=1..20
// run: of_a_row a=f64[4*(n+1)] b=f64[4*(n+1)] n=0..20
// run: at_any_place a=f64[n+1] b=f64[n+1] n=0..20 k=0..n
// run: by_branch a=f64[n+1] b=f64[n+1] n=0..20 k=0..1
// run: first_of_first a=f64[n+1] b=f64[n+1] n=1..20
// run: same_value a=f64[n] b=f64[n] flag=i64[1] n=0..20
// run: other_value a=f64[n] b=f64[n] flag=i64[1] n=0..20

void before_first(double *restrict a, double *restrict b, long n)
{
    for (long i = 1; i <= n; i++)
        a[i] = 0.5 * b[i];
    a[0] = 1.0;
    for (long i = 1; i <= n; i++)
        b[i] = a[i] * a[i];
}

void behind_last(double *restrict a, double *restrict b, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = 0.5 * b[i];
    a[n] = 1.0;
    for (long i = 0; i < n; i++)
        b[i] = a[i] * a[i];
}

void both_borders(double *restrict a, double *restrict b, long n)
{
    for (long i = 1; i <= n; i++)
        a[i] = 0.5 * b[i];
    a[0] = a[1];
    a[n + 1] = a[n];
    for (long i = 1; i <= n; i++)
        b[i] = a[i] * a[i];
}

// It is stored after the first loop, and the second has it when it is.
void first_only(double *restrict a, double *restrict b, long n)
{
    for (long i = 0; i <= n; i++)
        a[i] = 0.5 * b[i];
    a[0] = 7.0;
    for (long i = 1; i <= n; i++)
        b[i] = a[i] * a[i];
}

void within(double *restrict a, double *restrict b, long n)
{
    for (long i = 0; i <= n; i++)
        a[i] = 0.5 * b[i];
    a[n] = 7.0;
    for (long i = 0; i <= n; i++)
        b[i] = a[i] * a[i];
}

void second_only(double *restrict a, double *restrict b, long n)
{
    for (long i = 1; i <= n; i++)
        a[i] = 0.5 * b[i];
    a[n + 1] = 7.0;
    for (long i = 1; i <= n + 1; i++)
        b[i] = a[i] * a[i];
}

void of_a_row(double *restrict a, double *restrict b, int n)
{
    for (long y = 0; y < 4; y++) {
        for (long x = 0; x < n; x++)
            a[y * (n + 1) + x] = 0.5 * b[y * (n + 1) + x];
        a[y * (n + 1) + n] = 7.0;
        for (long x = 0; x < n; x++)
            b[y * (n + 1) + x] = a[y * (n + 1) + x] + 1.0;
    }
}

void at_any_place(double *restrict a, double *restrict b, long n, long k)
{
    for (long i = 1; i <= n; i++)
        a[i] = 0.5 * b[i];
    a[k] = 1.0;
    for (long i = 1; i <= n; i++)
        b[i] = a[i] * a[i];
}

void by_branch(double *restrict a, double *restrict b, long n, long k)
{
    for (long i = 1; i <= n; i++)
        a[i] = 0.5 * b[i];
    if (k)
        a[0] = 1.0;
    for (long i = 1; i <= n; i++)
        b[i] = a[i] * a[i];
}

// What the first loop wrote is stored where the second reads.
void first_of_first(double *restrict a, double *restrict b, long n)
{
    for (long i = 1; i <= n; i++)
        a[i] = 0.5 * b[i];
    a[0] = a[n];
    for (long i = 0; i <= n; i++)
        b[i] = a[i] * a[i];
}

// The same number at the same place, from both loops: their order is all the same.
void same_value(double *restrict a, double *restrict b, long *restrict flag, long n)
{
    for (long i = 0; i < n; i++) {
        a[i] = 0.5 * b[i];
        if (a[i] > 1.0)
            *flag = 1;
    }
    for (long i = 0; i < n; i++) {
        b[i] = a[i] + 1.0;
        if (b[i] < 0.0)
            *flag = 1;
    }
}

void other_value(double *restrict a, double *restrict b, long *restrict flag, long n)
{
    for (long i = 0; i < n; i++) {
        a[i] = 0.5 * b[i];
        if (a[i] > 1.0)
            *flag = 1;
    }
    for (long i = 0; i < n; i++) {
        b[i] = a[i] + 1.0;
        if (b[i] < 0.0)
            *flag = 2;
    }
}
