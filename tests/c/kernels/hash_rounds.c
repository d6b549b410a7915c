// function: hash_rounds
// sizes: n=84
// sizes: n=1
// sizes: n=2
// arrays: in=n, out=n
// output: out
// temporaries: mixed=scalar, rotated=scalar, folded=window 2
// loops: 4 -> 1

#include <stdint.h>

static inline uint32_t rotate(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

// Rounds of a hash over words of several widths; each result is chained with the one before.
void hash_rounds(int n, const uint16_t *restrict in, uint64_t *restrict out)
{
    uint32_t mixed[n], rotated[n];
    uint64_t folded[n];
#pragma scop
    for (int i = 0; i < n; i++)
        mixed[i] = (uint32_t)in[i] * 2654435761u ^ (uint32_t)i; /* Knuth's multiplier */
    for (int i = 0; i < n; i++)
        rotated[i] = rotate(mixed[i], 13) + (mixed[i] >> 7); // the sum may wrap
    for (int i = 0; i < n; i++)
        folded[i] = (uint64_t)rotated[i] << 32 | (uint8_t)~mixed[i];

    out[0] = folded[0];
    for (int i = 1; i < n; i++)
        out[i] = folded[i] * 0x9e3779b97f4a7c15u ^ folded[i - 1];
#pragma endscop
}
