// function: window_energy
// sizes: frames=20
// sizes: frames=1
// arrays: in=frames*32+32, window=64, db=frames
// output: db
// temporaries: frame=scalar, energy=scalar
// loops: 4 -> 1

#include <math.h>

#define HOP 32
#define LENGTH 64

// Energy of overlapping windowed frames, on a logarithmic scale.
void window_energy(int frames, const float *restrict in, const float *restrict window, float *restrict db)
{
    float frame[frames][LENGTH], energy[frames];
#pragma scop
    for (int f = 0; f < frames; f++)
        for (int t = 0; t < LENGTH; t++)
            frame[f][t] = in[f * HOP + t] * window[t];

    for (int f = 0; f < frames; f++)
        energy[f] = 1e-9f;
    for (int f = 0; f < frames; f++)
        for (int t = 0; t < LENGTH; t++)
            energy[f] += frame[f][t] * frame[f][t];

    for (int f = 0; f < frames; f++)
        db[f] = 10.0f * log10f(energy[f]);
#pragma endscop
}
