// Final values of reductions: a loop that reads one cannot run beside the loop that makes it; reading it later is fine.
// fuse: read_in_next 0, read_after 1, two_sums 1, stored_between 1, minimum_and_maximum 1, mean_and_variance 0, read_by_third 1
// refuse: read_in_next value-used-across, mean_and_variance value-used-across
// run: read_in_next a=f64[n] b=f64[n] n=0..20
// run: read_after a=f64[n] b=f64[n] n=0..20
// run: two_sums a=f64[n] b=f64[n] n=0..20
// run: stored_between a=f64[n] b=f64[n] at=f64[1] n=0..20
// run: minimum_and_maximum a=f32[n+1] b=f32[2] n=0..20
// run: mean_and_variance a=f64[n] n=1..20
// run: read_by_third a=f64[n] b=f64[n] c=f64[n] n=0..20

void read_in_next(const double *restrict a, double *restrict b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    for (int i = 0; i < n; i++)
        b[i] = a[i] / sum;
}

double read_after(const double *restrict a, double *restrict b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 0.5;
    return sum;
}

// Strict: neither sum is reordered.
double two_sums(const double *restrict a, const double *restrict b, int n)
{
    double sum = 0.0, product = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    for (int i = 0; i < n; i++)
        product += a[i] * b[i];
    return sum - product;
}

// The store moves behind the second loop, which does not read it.
void stored_between(const double *restrict a, double *restrict b, double *restrict at, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    *at = sum;
    for (int i = 0; i < n; i++)
        b[i] = a[i] - 1.0;
}

void minimum_and_maximum(const float *restrict a, float *restrict b, int n)
{
    float low = a[0], high = a[0];
    for (int i = 1; i <= n; i++)
        low = a[i] < low ? a[i] : low;
    for (int i = 1; i <= n; i++)
        high = a[i] > high ? a[i] : high;
    b[0] = low;
    b[1] = high;
}

double mean_and_variance(const double *restrict a, int n)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    double mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (a[i] - mean) * (a[i] - mean);
    return squares / n;
}

// The second loop fits to the first, and the third has to wait for both.
void read_by_third(const double *restrict a, double *restrict b, double *restrict c, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        c[i] = b[i] * sum;
}
