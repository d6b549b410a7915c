// Dependences from an iteration to the same iteration of the second loop never hinder.
// fuse: flow 1, anti 1, output 1, all_of_them 1
// run: flow a=f64[n] b=f64[n] c=f64[n] n=0..20
// run: anti a=f64[n] b=f64[n] n=0..20
// run: output a=f64[n] b=f64[n] n=0..20
// run: all_of_them a=f64[n] b=f64[n] n=0..20

void flow(double *restrict a, const double *restrict b, double *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        c[i] = a[i] + 1.0;
}

void anti(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = 3.0;
}

void output(double *restrict a, const double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] - 1.0;
    for (int i = 0; i < n; i++)
        if (b[i] > 0.5)
            a[i] = 0.5;
}

void all_of_them(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] * 0.5;
        b[i] = a[i] + b[i];
    }
    for (int i = 0; i < n; i++) {
        b[i] = b[i] - a[i];
        a[i] = b[i] * b[i];
    }
}
