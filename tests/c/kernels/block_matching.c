// function: block_matching
// sizes: rows=3, cols=4, range=9
// sizes: rows=1, cols=1, range=1
// sizes: rows=2, cols=1, range=2
// arrays: cur=rows*8*cols*8, ref=rows*8*(cols*8+range), best=rows*cols, shift=rows*cols
// output: best, shift
// temporaries: difference=window 8 x 8 * cols, sad=scalar
// loops: 5 -> 2

#include <stdint.h>
#include <stdlib.h>

// Horizontal motion by blocks of 8 x 8: absolute differences for each candidate, their sums, and the least sum.
void block_matching(int rows, int cols, int range, const uint8_t cur[restrict 8 * rows][8 * cols],
                    const uint8_t ref[restrict 8 * rows][8 * cols + range], int best[restrict rows][cols],
                    int shift[restrict rows][cols])
{
    uint8_t difference[range][8 * rows][8 * cols];
    int sad[range][rows][cols];
#pragma scop
    for (int bi = 0; bi < rows; bi++)
        for (int bj = 0; bj < cols; bj++)
            best[bi][bj] = 1 << 30;

    for (int c = 0; c < range; c++)
        for (int i = 0; i < 8 * rows; i++)
            for (int j = 0; j < 8 * cols; j++)
                difference[c][i][j] = (uint8_t)abs(cur[i][j] - ref[i][j + c]);

    for (int c = 0; c < range; c++)
        for (int bi = 0; bi < rows; bi++)
            for (int bj = 0; bj < cols; bj++)
                sad[c][bi][bj] = 0;
    for (int c = 0; c < range; c++)
        for (int bi = 0; bi < rows; bi++)
            for (int bj = 0; bj < cols; bj++)
                for (int u = 0; u < 8; u++)
                    for (int v = 0; v < 8; v++)
                        sad[c][bi][bj] += difference[c][8 * bi + u][8 * bj + v];

    for (int c = 0; c < range; c++)
        for (int bi = 0; bi < rows; bi++)
            for (int bj = 0; bj < cols; bj++)
                if (sad[c][bi][bj] < best[bi][bj]) {
                    best[bi][bj] = sad[c][bi][bj];
                    shift[bi][bj] = c;
                }
#pragma endscop
}
