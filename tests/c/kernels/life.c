// function: life
// sizes: n=20, m=33
// sizes: n=3, m=3
// sizes: n=4, m=1
// arrays: grid=n*m
// output: grid
// temporaries: count=window 2 x m, next=scalar
// loops: 3 -> 1

#include <stdint.h>

// A generation of Conway's Life, written back to where it came from.
void life(int n, int m, uint8_t grid[n][m])
{
    uint8_t count[n][m], next[n][m];
#pragma scop
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            count[i][j] = (uint8_t)((grid[i - 1][j - 1] & 1) + (grid[i - 1][j] & 1) + (grid[i - 1][j + 1] & 1)
                                    + (grid[i][j - 1] & 1) + (grid[i][j + 1] & 1) + (grid[i + 1][j - 1] & 1)
                                    + (grid[i + 1][j] & 1) + (grid[i + 1][j + 1] & 1));
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            next[i][j] = count[i][j] == 3 || ((grid[i][j] & 1) && count[i][j] == 2);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            grid[i][j] = next[i][j];
#pragma endscop
}
