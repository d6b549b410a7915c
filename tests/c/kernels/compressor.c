// function: compressor
// sizes: n=180
// sizes: n=1
// sizes: n=2
// arrays: in=n, out=n
// output: out
// temporaries: level=scalar, envelope=scalar, gain=scalar
// loops: 4 -> 1

#include <math.h>
#include <stdlib.h>

// Follows the level (quickly up, slowly down) and turns loud passages down.
void compressor(int n, float threshold, float *restrict in, float *restrict out)
{
#pragma scop
    float *restrict level = malloc(n * sizeof(float));
    float *restrict envelope = malloc(n * sizeof(float));
    float *restrict gain = malloc(n * sizeof(float));

    for (int i = 0; i < n; i++)
        level[i] = fabsf(in[i]);

    envelope[0] = level[0];
    for (int i = 1; i < n; i++) {
        float keep = level[i] > envelope[i - 1] ? 0.3f : 0.99f;
        envelope[i] = keep * envelope[i - 1] + (1.0f - keep) * level[i];
    }

    for (int i = 0; i < n; i++) {
        if (envelope[i] > threshold)
            gain[i] = threshold / envelope[i];
        else
            gain[i] = 1.0f;
    }
    for (int i = 0; i < n; i++)
        out[i] = in[i] * gain[i];

    free(gain);
    free(envelope);
    free(level);
#pragma endscop
}
