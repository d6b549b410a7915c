// function: lifting_97
// sizes: n=50
// sizes: n=2
// sizes: n=5
// arrays: x=2*n
// output: x
// temporaries: none
// loops: 6 -> 1

// The four lifting steps of the 9/7 wavelet on the inner samples, in place, and the scaling of both bands.
void lifting_97(int n, double *restrict x)
{
#pragma scop
    for (int i = 1; i < n; i++)
        x[2 * i - 1] += -1.586134342 * (x[2 * i - 2] + x[2 * i]);
    for (int i = 1; i < n - 1; i++)
        x[2 * i] += -0.052980118 * (x[2 * i - 1] + x[2 * i + 1]);
    for (int i = 1; i < n; i++)
        x[2 * i - 1] += 0.882911075 * (x[2 * i - 2] + x[2 * i]);
    for (int i = 1; i < n - 1; i++)
        x[2 * i] += 0.443506852 * (x[2 * i - 1] + x[2 * i + 1]);

    for (int i = 0; i < n; i++)
        x[2 * i] *= 1.230174105;
    for (int i = 0; i < n; i++)
        x[2 * i + 1] *= 0.812893066;
#pragma endscop
}
