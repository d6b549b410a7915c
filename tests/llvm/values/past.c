// What the first of two loops sums up leaves both of them through the exit of the second.
// fuse: past 0
// always: past 1
// cooked: past 1
// run: past a=f64[n+8] b=f64[n+8] n=0..20

double past(double *restrict a, double *restrict b, int n)
{
    double sum = 0;
    for (int i = 1; i < n - 1; i++)
        b[i] = b[i + 3] > 0.5 ? a[i] : b[i];
    a[3] = 7;
    for (int i = 1; i < n - 1; i++)
        sum += a[i] * 0.5;
    for (int i = 1; i < n - 1; i++)
        b[i] = b[i] > 0.5 ? i * 1.5 + a[i + 1] : b[i];
    return sum;
}
