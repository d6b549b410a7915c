// function: rows_apart
// sizes: n=13, m=18
// sizes: n=0, m=1
// sizes: n=1, m=4
// arrays: in=(n+2)*m, out=(n+2)*m
// output: out
// temporaries: damped=window 3 x m
// loops: 4 -> 1

// A blur along columns; the first and the last row, which have one neighbour, are loops of their own.
void rows_apart(int n, int m, const float in[restrict n + 2][m], float out[restrict n + 2][m])
{
    float damped[n + 2][m];
#pragma scop
    for (int i = 0; i < n + 2; i++)
        for (int j = 0; j < m; j++)
            damped[i][j] = 0.25f * in[i][j];

    for (int j = 0; j < m; j++)
        out[0][j] = 3.0f * damped[0][j] + damped[1][j];
    for (int i = 1; i <= n; i++)
        for (int j = 0; j < m; j++)
            out[i][j] = damped[i - 1][j] + 2.0f * damped[i][j] + damped[i + 1][j];
    for (int j = 0; j < m; j++)
        out[n + 1][j] = damped[n][j] + 3.0f * damped[n + 1][j];
#pragma endscop
}
