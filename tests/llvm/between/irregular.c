// A loop with branches in its condition, which ends when its data say so, between loops that fuse around it.
// fuse: around 1
// run: around a=f64[24] b=f64[24] c=f64[24] n=0..20 m=0..20

void around(double *restrict a, double *restrict b, double *restrict c, int n, int m)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 0.5;
    for (int i = 0; i < (n > m ? n : m) + 4 && c[i] < 1e30; i++)
        c[i] = c[i] + 2.0;
    for (int i = 0; i < m; i++)
        b[i] = a[i] + 1.0;
}
