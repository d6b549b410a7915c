// function: mixed_bounds
// sizes: n=120
// sizes: n=5
// sizes: n=1
// sizes: n=16
// arrays: in=n, out=n, sparse=n
// output: out, sparse
// temporaries: smooth=window 3, sharp=window 4
// loops: 4 -> 1

// No two headers agree: other bounds, an inclusive one, another step, and a start late in the array.
void mixed_bounds(int n, const int *restrict in, int *restrict out, int *restrict sparse)
{
    int smooth[n], sharp[n];
#pragma scop
    for (int i = 1; i < n; i++)
        smooth[i] = in[i] + in[i - 1];
    for (int i = 2; i <= n - 2; ++i)
        sharp[i] = 3 * smooth[i] - smooth[i - 1] - smooth[i + 1];
    for (int i = 5; i < n - 1; i += 3)
        sparse[i] = sharp[i] ^ sharp[i - 2];
    for (int i = 10; n - 1 > i; i++)
        out[i] = sharp[i] - sharp[i - 3];
#pragma endscop
}
