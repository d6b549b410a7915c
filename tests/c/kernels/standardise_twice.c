// function: standardise_twice
// sizes: n=70
// sizes: n=2
// sizes: n=5
// arrays: in=n, out=n
// output: out
// temporaries: shifted=kept, compressed=kept, folded=kept, mixed=scalar
// loops: 7 -> 5

// Three rounds of "take the mean away, then bend". Every mean is a barrier, so that the arrays stay, but never more than
// two of them live at the same time.
void standardise_twice(int n, const double *restrict in, double *restrict out)
{
    double shifted[n], compressed[n], folded[n], mixed[n];
    double mean = 0.0;
#pragma scop
    for (int i = 0; i < n; i++)
        mean += in[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        shifted[i] = in[i] - mean;

    mean = 0.0;
    for (int i = 0; i < n; i++)
        mean += shifted[i] * shifted[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        compressed[i] = shifted[i] / (1.0 + mean + shifted[i] * shifted[i]);

    mean = 0.0;
    for (int i = 0; i < n; i++) {
        folded[i] = compressed[n - 1 - i] + compressed[i];
        mean += folded[i];
    }
    mean /= n;
    for (int i = 0; i < n; i++)
        mixed[i] = folded[i] - mean;
    for (int i = 0; i < n; i++)
        out[i] = mixed[i] * (i < n / 2 ? 1.0 : -1.0);
#pragma endscop
}
