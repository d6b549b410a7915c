// function: resample_3_2
// sizes: n=60
// sizes: n=1
// sizes: n=2
// arrays: in=3*n+1, out=2*n
// output: out
// temporaries: up=window 5, smooth=scalar
// loops: 4 -> 1

// Two samples for three: a zero is put behind each sample, the result smoothed, and every third value kept.
void resample_3_2(int n, const float *restrict in, float *restrict out)
{
    float up[6 * n + 2], smooth[6 * n + 2];
#pragma scop
    for (int i = 0; i < 3 * n + 1; i++)
        up[2 * i] = in[i];
    for (int i = 0; i < 3 * n + 1; i++)
        up[2 * i + 1] = 0.0f;

    for (int i = 2; i < 6 * n; i++)
        smooth[i] = 0.1f * up[i - 2] + 0.5f * up[i - 1] + 0.8f * up[i] + 0.5f * up[i + 1] + 0.1f * up[i + 2];

    for (int i = 1; i < 2 * n; i++)
        out[i] = smooth[3 * i];
#pragma endscop
}
