// function: padded_signal
// sizes: n=29
// sizes: n=1
// sizes: n=2
// arrays: in=n, out=n
// output: out
// temporaries: padded=window 3
// loops: 2 -> 1

// Smooths a signal that is extended by its first and its last value.
void padded_signal(int n, const float *restrict in, float *restrict out)
{
    float padded[n + 2];
#pragma scop
    padded[0] = in[0];
    for (int i = 1; i <= n; i++)
        padded[i] = in[i - 1];
    padded[n + 1] = in[n - 1];
    for (int i = 0; i < n; i++)
        out[i] = 0.25f * (padded[i] + 2.0f * padded[i + 1] + padded[i + 2]);
#pragma endscop
}
