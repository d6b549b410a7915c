// function: haar_2d
// sizes: n=13, m=18
// sizes: n=1, m=1
// sizes: n=2, m=3
// arrays: in=2*n*2*m, ll=n*m, lh=n*m, hl=n*m, hh=n*m
// output: ll, lh, hl, hh
// temporaries: low=window 2 x m, high=window 2 x m
// loops: 6 -> 2

// One level of the Haar transform: pairs in rows, then pairs in columns.
void haar_2d(int n, int m, const float in[restrict 2 * n][2 * m], float ll[restrict n][m], float lh[restrict n][m],
             float hl[restrict n][m], float hh[restrict n][m])
{
    float low[2 * n][m], high[2 * n][m];
#pragma scop
    for (int i = 0; i < 2 * n; i++)
        for (int j = 0; j < m; j++)
            low[i][j] = 0.5f * (in[i][2 * j] + in[i][2 * j + 1]);
    for (int i = 0; i < 2 * n; i++)
        for (int j = 0; j < m; j++)
            high[i][j] = 0.5f * (in[i][2 * j] - in[i][2 * j + 1]);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            ll[i][j] = 0.5f * (low[2 * i][j] + low[2 * i + 1][j]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            lh[i][j] = 0.5f * (low[2 * i][j] - low[2 * i + 1][j]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            hl[i][j] = 0.5f * (high[2 * i][j] + high[2 * i + 1][j]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            hh[i][j] = 0.5f * (high[2 * i][j] - high[2 * i + 1][j]);
#pragma endscop
}
