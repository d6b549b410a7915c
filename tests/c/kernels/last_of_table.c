// function: last_of_table
// sizes: n=600
// sizes: n=1
// sizes: n=3
// arrays: in=n, window=256, out=n
// output: window, out
// temporaries: rising=scalar
// loops: 3 -> 2

// A table of fixed size, and its last value as the gain of a signal: loops that have but one element in common stay apart.
void last_of_table(int n, const float *restrict in, float *restrict window, float *restrict out)
{
    float rising[256];
#pragma scop
    for (int i = 0; i < 256; i++)
        rising[i] = 0.5f * i;
    for (int i = 0; i < n; i++)
        out[i] = in[i] * rising[255];
    for (int i = 0; i < 256; i++)
        window[i] = rising[i] * rising[i];
#pragma endscop
}
