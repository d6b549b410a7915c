// function: pyramid_up
// sizes: n=15, m=18
// sizes: n=2, m=2
// sizes: n=1, m=3
// arrays: in=n*m, out=(2*n-1)*(2*m-1)
// output: out
// temporaries: tall=window m
// loops: 4 -> 1

// Twice the size in both directions: rows first, then columns; what lies between is the mean of its neighbours.
void pyramid_up(int n, int m, const float in[restrict n][m], float out[restrict 2 * n - 1][2 * m - 1])
{
    float tall[2 * n - 1][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            tall[2 * i][j] = in[i][j];
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < m; j++)
            tall[2 * i + 1][j] = 0.5f * (in[i][j] + in[i + 1][j]);

    for (int i = 0; i < 2 * n - 1; i++)
        for (int j = 0; j < m; j++)
            out[i][2 * j] = tall[i][j];
    for (int i = 0; i < 2 * n - 1; i++)
        for (int j = 0; j < m - 1; j++)
            out[i][2 * j + 1] = 0.5f * (tall[i][j] + tall[i][j + 1]);
#pragma endscop
}
