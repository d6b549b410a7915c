// function: wave_leapfrog
// sizes: n=21, m=26
// sizes: n=3, m=3
// sizes: n=2, m=1
// arrays: before=n*m, now=n*m
// output: before, now
// temporaries: laplace=window 2 x m, next=scalar
// loops: 4 -> 1

// A step of the wave equation. The new values may replace the old ones only when the next row does not need them any more.
void wave_leapfrog(int n, int m, float c2, float before[restrict n][m], float now[restrict n][m])
{
    float laplace[n][m], next[n][m];
#pragma scop
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            laplace[i][j] = now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] - 4.0f * now[i][j];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            next[i][j] = 2.0f * now[i][j] - before[i][j] + 0.25f * c2 * laplace[i][j];

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            before[i][j] = now[i][j];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            now[i][j] = next[i][j];
#pragma endscop
}
