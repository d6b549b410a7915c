// function: echo
// sizes: n=500
// sizes: n=120
// sizes: n=100
// sizes: n=3
// arrays: in=n, out=n
// output: out
// temporaries: wet=window 101, tone=scalar
// loops: 4 -> 1

#define DELAY 100

// An echo that feeds back, with a delay that the compiler knows, then a one-pole low-pass on what it adds.
void echo(int n, float feedback, float mix, const float *restrict in, float *restrict out)
{
    float wet[n], tone[n];
#pragma scop
    for (int i = 0; i < n && i < DELAY; i++)
        wet[i] = in[i];
    for (int i = DELAY; i < n; i++)
        wet[i] = in[i] + feedback * wet[i - DELAY];

    tone[0] = wet[0];
    for (int i = 1; i < n; i++)
        tone[i] = 0.7f * tone[i - 1] + 0.3f * wet[i];
    for (int i = 0; i < n; i++)
        out[i] = (1.0f - mix) * in[i] + mix * tone[i];
#pragma endscop
}
