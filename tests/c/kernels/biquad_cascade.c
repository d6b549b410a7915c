// function: biquad_cascade
// sizes: n=150
// sizes: n=2
// sizes: n=4
// arrays: in=n, out=n
// output: out
// temporaries: first=window 3, second=window 3
// loops: 3 -> 1

// Three sections of second order; each starts at rest. The first two samples of each are statements outside of all loops.
void biquad_cascade(int n, const double in[restrict n], double out[restrict n])
{
    double first[n], second[n];
#pragma scop
    first[0] = 0.2 * in[0];
    first[1] = 0.2 * in[1] + 0.4 * in[0] + 0.5 * first[0];
    for (int i = 2; i < n; i++)
        first[i] = 0.2 * in[i] + 0.4 * in[i - 1] + 0.2 * in[i - 2] + 0.5 * first[i - 1] - 0.3 * first[i - 2];

    second[0] = 0.9 * first[0];
    second[1] = 0.9 * first[1] - 1.7 * first[0] + 1.6 * second[0];
    for (int i = 2; i < n; i++)
        second[i] = 0.9 * first[i] - 1.7 * first[i - 1] + 0.9 * first[i - 2]
                  + 1.6 * second[i - 1] - 0.8 * second[i - 2];

    out[0] = 1.1 * second[0];
    out[1] = 1.1 * second[1] - 0.6 * second[0] + 0.4 * out[0];
    for (int i = 2; i < n; i++)
        out[i] = 1.1 * second[i] - 0.6 * second[i - 1] + 0.3 * second[i - 2] + 0.4 * out[i - 1] - 0.1 * out[i - 2];
#pragma endscop
}
