// function: histogram_equalise
// sizes: n=900
// sizes: n=1
// sizes: n=5
// arrays: in=n, out=n
// output: out
// temporaries: histogram=kept, cumulative=scalar, lut=kept
// loops: 5 -> 4

#include <stdint.h>

// Every grey level is to be as frequent as every other. The table needs the whole histogram, the image the whole table.
void histogram_equalise(int n, const uint8_t *restrict in, uint8_t *restrict out)
{
    uint32_t histogram[256], cumulative[256];
    uint8_t lut[256];
#pragma scop
    for (int k = 0; k < 256; k++)
        histogram[k] = 0;
    for (int i = 0; i < n; i++)
        histogram[in[i]]++;

    cumulative[0] = histogram[0];
    for (int k = 1; k < 256; k++)
        cumulative[k] = cumulative[k - 1] + histogram[k];

    lut[0] = 0;
    for (int k = 1; k < 256; k++)
        lut[k] = (uint8_t)(cumulative[k] * 255u / (uint32_t)n);

    for (int i = 0; i < n; i++)
        out[i] = lut[in[i]];
#pragma endscop
}
