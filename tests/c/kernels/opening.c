// function: opening
// sizes: n=25, m=30
// sizes: n=5, m=5
// sizes: n=4, m=3
// arrays: in=n*m, out=n*m
// output: out
// temporaries: eroded_x=window 3 x m, eroded=window m, dilated_x=window 3 x m
// loops: 4 -> 1

#include <stdint.h>

static inline uint8_t least(uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t d = a < b ? a : b;
    return d < c ? d : c;
}

static inline uint8_t most(uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t d = a > b ? a : b;
    return d > c ? d : c;
}

// Morphological opening with a 3 x 3 square: erosion, then dilation, each by rows and columns.
void opening(int n, int m, const uint8_t in[restrict n][m], uint8_t out[restrict n][m])
{
    uint8_t eroded_x[n][m], eroded[n][m], dilated_x[n][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m - 1; j++)
            eroded_x[i][j] = least(in[i][j - 1], in[i][j], in[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            eroded[i][j] = least(eroded_x[i - 1][j], eroded_x[i][j], eroded_x[i + 1][j]);
    for (int i = 1; i < n - 1; i++)
        for (int j = 2; j < m - 2; j++)
            dilated_x[i][j] = most(eroded[i][j - 1], eroded[i][j], eroded[i][j + 1]);
    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < m - 2; j++)
            out[i][j] = most(dilated_x[i - 1][j], dilated_x[i][j], dilated_x[i + 1][j]);
#pragma endscop
}
