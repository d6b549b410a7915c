// function: counter_declared_in_region
// sizes: n=9, m=3
// sizes: n=1, m=1
// sizes: n=0, m=0
// arrays: in=n+m, out=n, peak=1
// output: out, peak

// The region declares the variables that its loops count: the loop that stays as it is needs one of its own, too.
void counter_declared_in_region(int n, int m, const double *restrict in, double *restrict out, double *restrict peak)
{
    double t[n + 1];
#pragma scop
    double most = 0.0;
    int i, k;
    for (i = 0; i < n; i++) {
        double sum = 0.0;
        for (k = 0; k < m; k++)
            sum += in[i + k];
        t[i] = sum;
    }
    for (i = 0; i < n; i++)
        if (t[i] > most) most = t[i];
    for (i = 0; i < n; i++)
        out[i] = t[i] / (most + 1.0);
    peak[0] = most;
#pragma endscop
}
