// function: distance_rows
// sizes: n=19, m=40
// sizes: n=1, m=1
// sizes: n=3, m=5
// arrays: mask=n*m, out=n*m
// output: out
// temporaries: left=scalar, right=window m
// loops: 3 -> 1

#include <stdint.h>

// The distance to the nearest set pixel in the row: one sweep to the right, one to the left, and the smaller of both.
void distance_rows(int n, int m, const uint8_t mask[restrict n][m], uint16_t out[restrict n][m])
{
    uint16_t left[n][m], right[n][m];
#pragma scop
    for (int i = 0; i < n; i++) {
        left[i][0] = (mask[i][0] & 1) ? 0 : 1000;
        for (int j = 1; j < m; j++)
            left[i][j] = (mask[i][j] & 1) ? 0 : (uint16_t)(left[i][j - 1] + 1);
    }
    for (int i = 0; i < n; i++) {
        right[i][m - 1] = (mask[i][m - 1] & 1) ? 0 : 1000;
        for (int j = m - 2; j >= 0; j--)
            right[i][j] = (mask[i][j] & 1) ? 0 : (uint16_t)(right[i][j + 1] + 1);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i][j] = left[i][j] < right[i][j] ? left[i][j] : right[i][j];
#pragma endscop
}
