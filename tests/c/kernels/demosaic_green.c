// function: demosaic_green
// sizes: n=26, m=38
// sizes: n=4, m=6
// sizes: n=3, m=3
// sizes: n=2, m=1
// arrays: raw=n*m, out=n*m
// output: out
// temporaries: green=window m
// loops: 5 -> 1

#include <stdint.h>

// The green plane of a Bayer mosaic (green where row and column sum to an odd number), then a light horizontal blur.
void demosaic_green(int n, int m, const uint16_t raw[restrict n][m], uint16_t out[restrict n][m])
{
    uint16_t green[n][m];
#pragma scop
    // Sites that have green.
    for (int i = 1; i < n - 1; i += 2)
        for (int j = 2; j < m - 1; j += 2)
            green[i][j] = raw[i][j];
    for (int i = 2; i < n - 1; i += 2)
        for (int j = 1; j < m - 1; j += 2)
            green[i][j] = raw[i][j];

    // Sites that have red or blue: the mean of the four neighbours.
    for (int i = 1; i < n - 1; i += 2)
        for (int j = 1; j < m - 1; j += 2)
            green[i][j] = (uint16_t)((raw[i - 1][j] + raw[i + 1][j] + raw[i][j - 1] + raw[i][j + 1]) >> 2);
    for (int i = 2; i < n - 1; i += 2)
        for (int j = 2; j < m - 1; j += 2)
            green[i][j] = (uint16_t)((raw[i - 1][j] + raw[i + 1][j] + raw[i][j - 1] + raw[i][j + 1]) >> 2);

    for (int i = 1; i < n - 1; i++)
        for (int j = 2; j < m - 2; j++)
            out[i][j] = (uint16_t)((green[i][j - 1] + 2 * green[i][j] + green[i][j + 1]) >> 2);
#pragma endscop
}
