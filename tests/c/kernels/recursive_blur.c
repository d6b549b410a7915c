// function: recursive_blur
// sizes: h=20, w=35
// sizes: h=1, w=1
// sizes: h=2, w=4
// arrays: in=h*w, out=h*w
// output: out
// temporaries: causal=kept, anticausal=kept, mixed=scalar
// loops: 4 -> 3

#include <stdlib.h>

// A recursive filter along rows (after Deriche): from the left, from the right, and the sum of both. What comes from
// the left must be there for the whole row before the other sweep starts.
void recursive_blur(int h, int w, float a, const float *restrict in, float *restrict out)
{
    float *restrict causal = malloc(sizeof(float) * h * w);
    float *restrict anticausal = malloc(sizeof(float) * h * w);
    float *restrict mixed = malloc(sizeof(float) * h * w);
#pragma scop
    for (int y = 0; y < h; y++) {
        causal[y * w] = in[y * w];
        for (int x = 1; x < w; x++)
            causal[y * w + x] = (1.0f - a) * in[y * w + x] + a * causal[y * w + x - 1];
    }
    for (int y = 0; y < h; y++) {
        anticausal[y * w + w - 1] = in[y * w + w - 1];
        for (int x = w - 2; x >= 0; x--)
            anticausal[y * w + x] = (1.0f - a) * in[y * w + x] + a * anticausal[y * w + x + 1];
    }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            mixed[y * w + x] = 0.5f * (causal[y * w + x] + anticausal[y * w + x]);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = mixed[y * w + x] > 0.0f ? mixed[y * w + x] : 0.0f;
#pragma endscop
    free(causal);
    free(anticausal);
    free(mixed);
}
