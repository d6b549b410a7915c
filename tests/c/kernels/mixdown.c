// function: mixdown
// sizes: n=75
// sizes: n=1
// sizes: n=3
// arrays: left=n, right=n, out=n
// output: out
// temporaries: mono=scalar, boosted=scalar, dithered=scalar
// loops: 4 -> 1

#include <stdint.h>

static inline int16_t saturate(int32_t v)
{
    return (int16_t)(v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v);
}

// Two channels to one, louder, with a little triangular dither from the position, in 16 bits.
void mixdown(int n, int16_t const *restrict left, int16_t const *restrict right, int16_t *restrict out)
{
    int32_t mono[n];
    int64_t boosted[n];
    int32_t dithered[n];
#pragma scop
    for (int i = 0; i < n; ++i)
        mono[i] = ((int32_t)left[i] + right[i]) * 128;
    for (int i = 0; i < n; ++i)
        boosted[i] = (int64_t)mono[i] * 46341 >> 10;
    for (int i = 0; i < n; ++i)
        dithered[i] = (int32_t)boosted[i] + ((i & 1) ? (i % 7) : -(i % 5));
    for (int i = 0; i < n; ++i)
        out[i] = saturate(dithered[i] >> 3);
#pragma endscop
}
