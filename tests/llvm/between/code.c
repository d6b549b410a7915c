// What stands between two loops moves before them or behind them, or it hinders.
// fuse: store 1, store_of_first 0, scalar 1, diamond 1, another_loop 1, load_for_second 1, load_of_first 0, early_return 0
// refuse: store_of_first code-between, load_of_first code-between
// run: store a=f64[n] b=f64[n] at=f64[1] n=0..20
// run: store_of_first a=f64[n+1] b=f64[n+1] n=0..20
// run: scalar a=f64[n] b=f64[n] n=0..20
// run: diamond a=f64[n] b=f64[n] at=f64[1] n=0..20 c=0..1
// run: another_loop a=f64[n] b=f64[n] d=f64[16] n=0..20
// run: load_for_second a=f64[n] b=f64[n] at=f64[1] n=0..20
// run: load_of_first a=f64[n+1] b=f64[n+1] n=0..20
// run: early_return a=f64[n] b=f64[n] n=0..20 c=0..1

void store(double *restrict a, double *restrict b, double *restrict at, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    *at = 7.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

// The store depends on the first loop, and the second loop on the store.
void store_of_first(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i <= n; i++)
        a[i] = b[i] * 2.0;
    a[0] = a[n] - 1.0;
    for (int i = 0; i <= n; i++)
        b[i] = a[i] + 1.0;
}

void scalar(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    double half = n * 0.5;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + half;
}

void diamond(double *restrict a, double *restrict b, double *restrict at, int n, int c)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    if (c)
        *at = 1.0;
    else
        *at = *at - 1.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

// A loop that cannot be fused with either: it has no trip count.
void another_loop(double *restrict a, double *restrict b, double *restrict d, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 1; i < 16 && d[i] > 0.0; i++)
        d[i] = d[i] + d[i - 1];
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

void load_for_second(double *restrict a, double *restrict b, const double *restrict at, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    double term = at[0];
    for (int i = 0; i < n; i++)
        b[i] = a[i] + term;
}

// What is loaded between is made by the first loop, perhaps in its last iteration.
void load_of_first(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i <= n; i++)
        a[i] = b[i] * 2.0;
    double last = a[n];
    for (int i = 0; i <= n; i++)
        b[i] = a[i] + last;
}

// Whether the second loop runs depends on what the first has computed.
void early_return(double *restrict a, double *restrict b, int n, int c)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    if (c && n > 0 && a[n - 1] > 0.0)
        return;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}
