// function: lifting_53
// sizes: n=45
// sizes: n=1
// sizes: n=2
// arrays: x=2*n+1, y=2*n
// output: y
// temporaries: d=window 2, s=scalar
// loops: 4 -> 1

// The 5/3 wavelet of JPEG 2000: predict the odd samples, update the even ones, and interleave the results.
void lifting_53(int n, const int *restrict x, int *restrict y)
{
    int d[n], s[n];
#pragma scop
    for (int i = 0; i < n; i++)
        d[i] = x[2 * i + 1] - ((x[2 * i] + x[2 * i + 2]) >> 1);

    s[0] = x[0] + ((2 * d[0] + 2) >> 2);
    for (int i = 1; i < n; i++)
        s[i] = x[2 * i] + ((d[i - 1] + d[i] + 2) >> 2);

    for (int i = 0; i < n; i++)
        y[2 * i] = s[i];
    for (int i = 0; i < n; i++)
        y[2 * i + 1] = d[i];
#pragma endscop
}
