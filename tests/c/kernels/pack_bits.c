// function: pack_bits
// sizes: n=21
// sizes: n=1
// sizes: n=3
// arrays: in=8*n, out=n
// output: out
// temporaries: bit=window 8, packed=scalar
// loops: 4 -> 1

#include <stdint.h>

// Thresholds samples to bits, packs eight of them into a byte, and turns the bytes into Gray code.
void pack_bits(int n, const int16_t *restrict in, uint8_t *restrict out)
{
    uint8_t bit[8 * n], packed[n];
#pragma scop
    for (int i = 0; i < 8 * n; i++)
        bit[i] = (in[i] ^ (in[i] >> 3)) & 1;
    for (int i = 0; i < n; i++)
        packed[i] = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            packed[i] |= (uint8_t)(bit[8 * i + k] << k);
    for (int i = 0; i < n; i++)
        out[i] = packed[i] ^ (packed[i] >> 1);
#pragma endscop
}
