// function: box_blur
// sizes: n=40, m=33
// sizes: n=3, m=3
// sizes: n=2, m=5
// arrays: in=n*m, out=n*m
// output: out
// temporaries: row=window 3 x m
// loops: 2 -> 1

#include <stdint.h>

// A 3 x 3 box on bytes, in two passes; sums of three do not fit into a byte.
void box_blur(int n, int m, const uint8_t in[restrict n][m], uint8_t out[restrict n][m])
{
    uint16_t row[n][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m - 1; j++)
            row[i][j] = (uint16_t)(in[i][j - 1] + in[i][j] + in[i][j + 1]);

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            out[i][j] = (uint8_t)((row[i - 1][j] + row[i][j] + row[i + 1][j]) / 9);
#pragma endscop
}
