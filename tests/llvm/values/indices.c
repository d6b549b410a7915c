// Values that the first loop makes and others use: last indices, last elements, invariants.
// fuse: last_index 1, last_index_in_bound 1, last_index_in_next 1, last_element 0, last_element_after 1, invariant 1, shared_counter 1, counter_goes_on 0
// refuse: last_element value-used-across, counter_goes_on backward-dependence|value-used-across
// run: last_index a=f64[n] b=f64[n] n=0..20
// run: last_index_in_bound a=f64[n] b=f64[n] n=0..20
// run: last_index_in_next a=f64[n] b=f64[n] n=0..20
// run: last_element a=f64[n] b=f64[n] n=0..20
// run: last_element_after a=f64[n] b=f64[n] n=0..20
// run: invariant a=f64[n] b=f64[n] n=0..20
// run: shared_counter a=f64[n] b=f64[n] n=0..20
// run: counter_goes_on a=f64[2*n] b=f64[2*n] n=0..20

int last_index(double *restrict a, double *restrict b, int n)
{
    int i, j;
    for (i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (j = 0; j < n; j++)
        b[j] = a[j] + 1.0;
    return i * 100 + j;
}

// The second loop's bound is the first's last index, which is known before either runs.
void last_index_in_bound(double *restrict a, double *restrict b, int n)
{
    int i;
    for (i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int j = 0; j < i; j++)
        b[j] = a[j] + 1.0;
}

void last_index_in_next(double *restrict a, double *restrict b, int n)
{
    int i;
    for (i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int j = 0; j < n; j++)
        b[j] = a[j] + i;
}

void last_element(double *restrict a, double *restrict b, int n)
{
    double last = 0.0;
    for (int i = 0; i < n; i++) {
        last = b[i] * 2.0;
        a[i] = last;
    }
    for (int i = 0; i < n; i++)
        b[i] = a[i] + last;
}

double last_element_after(double *restrict a, double *restrict b, int n)
{
    double last = 0.0;
    for (int i = 0; i < n; i++) {
        last = b[i] * 2.0;
        a[i] = last;
    }
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
    return last;
}

// What is computed in the first loop, and used behind it, is the same in all iterations.
void invariant(double *restrict a, double *restrict b, int n)
{
    double third = 0.0;
    for (int i = 0; i < n; i++) {
        third = n * 0.125;
        a[i] = b[i] * third;
    }
    for (int i = 0; i < n; i++)
        b[i] = a[i] + third;
}

void shared_counter(double *restrict a, double *restrict b, int n)
{
    int i;
    for (i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

// The second loop goes on counting where the first ended.
void counter_goes_on(double *restrict a, double *restrict b, int n)
{
    int i;
    for (i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (; i < 2 * n; i++)
        a[i] = b[i] + b[i - n];
}
