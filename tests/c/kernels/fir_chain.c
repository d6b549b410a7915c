// function: fir_chain
// sizes: n=200
// sizes: n=14
// sizes: n=5
// arrays: in=n, out=n
// output: out
// temporaries: mid=window 8
// loops: 2 -> 1

static const float low_pass[8] = { 0.02f, 0.07f, 0.16f, 0.25f, 0.25f, 0.16f, 0.07f, 0.02f };
static const float high_shelf[8] = { 1.4f, -0.2f, -0.1f, -0.05f, -0.03f, -0.01f, -0.007f, -0.003f };

// Two filters of eight taps, one after the other.
void fir_chain(int n, const float *restrict in, float *restrict out)
{
    float mid[n];
#pragma scop
    for (int i = 7; i < n; i++) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++)
            sum += low_pass[k] * in[i - k];
        mid[i] = sum;
    }
    for (int i = 14; i < n; i++) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++)
            sum += high_shelf[k] * mid[i - k];
        out[i] = sum;
    }
#pragma endscop
}
