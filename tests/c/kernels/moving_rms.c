// function: moving_rms
// sizes: n=130
// sizes: n=17
// sizes: n=1
// arrays: in=n, out=n
// output: out
// temporaries: square=scalar, sum=window 17
// loops: 3 -> 1

// The level over the last sixteen samples, by differences of running sums (integers, so that nothing drifts).
void moving_rms(int n, const short *restrict in, unsigned *restrict out)
{
    unsigned square[n], sum[n];
#pragma scop
    for (int i = 0; i < n; i++)
        square[i] = (unsigned)(in[i] * in[i]);

    sum[0] = square[0];
    for (int i = 1; i < n; i++)
        sum[i] = sum[i - 1] + square[i];

    for (int i = 16; i < n; i++)
        out[i] = (sum[i] - sum[i - 16]) / 16u;
#pragma endscop
}
