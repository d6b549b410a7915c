// More than two loops are planned together, not pairwise in order.
// fuse: three 2, four 3, six 5, around_one 1, two_groups 2, second_and_third 1, not_greedy 1
// always: around_one 2
// run: three a=f64[n] b=f64[n] c=f64[n] d=f64[n] n=0..20
// run: four a=f64[n] b=f64[n] c=f64[n] n=0..20
// run: six a=f32[n] b=f32[n] n=0..20
// run: around_one a=f64[n] b=f64[n] c=f64[n] d=f64[40] n=0..20
// run: two_groups a=f64[n] b=f64[n] c=f64[n] n=0..20
// run: second_and_third a=f64[n] b=f64[n] c=f64[n] n=0..20
// run: not_greedy a=f64[n] b=f64[n] c=f64[n] n=0..20

void three(const double *restrict a, double *restrict b, double *restrict c, double *restrict d, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
    for (int i = 0; i < n; i++)
        c[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        d[i] = c[i] - b[i];
}

void four(double *restrict a, double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        a[i] *= 0.5;
    for (int i = 0; i < n; i++)
        b[i] += a[i];
    for (int i = 0; i < n; i++)
        c[i] -= b[i];
    for (int i = 0; i < n; i++)
        a[i] += c[i];
}

void six(float *restrict a, float *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] += 1.0f;
    for (int i = 0; i < n; i++)
        b[i] *= a[i];
    for (int i = 0; i < n; i++)
        a[i] -= b[i];
    for (int i = 0; i < n; i++)
        b[i] += 2.0f;
    for (int i = 0; i < n; i++)
        a[i] *= b[i];
    for (int i = 0; i < n; i++)
        b[i] -= a[i];
}

// The loop in the middle has nothing to do with the others, and another trip count.
void around_one(const double *restrict a, double *restrict b, double *restrict c, double *restrict d, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
    for (int i = 39; i > 0; i--)
        d[i] = d[i] + d[i - 1];
    for (int i = 0; i < n; i++)
        c[i] = b[i] * a[i];
}

// The sum parts the first two from the last two.
double two_groups(const double *restrict a, double *restrict b, double *restrict c, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] * a[i];
    for (int i = 0; i < n; i++)
        sum += b[i];
    for (int i = 0; i < n; i++)
        c[i] = b[i] / sum;
    double total = 0.0;
    for (int i = 0; i < n; i++)
        total += c[i] * b[i];
    return total;
}

void second_and_third(const double *restrict a, double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        c[i] = b[n - 1 - i];
    for (int i = 0; i < n; i++)
        c[i] = c[i] + a[i];
}

// The second loop cannot join the third; the first can join one of them.
double not_greedy(const double *restrict a, double *restrict b, double *restrict c, int n)
{
    double sum = 0.0, high = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    for (int i = 0; i < n; i++)
        high = a[i] > high ? a[i] : high;
    for (int i = 0; i < n; i++)
        b[i] = c[i] * high + sum;
    return high;
}
