// function: integral_image
// sizes: n=22, m=27
// sizes: n=5, m=6
// sizes: n=4, m=4
// sizes: n=1, m=1
// arrays: in=n*m, out=n*m
// output: out
// temporaries: row=window m + 1, area=window 5 x m + 1
// loops: 6 -> 2

// Sums over 4 x 4 boxes by a summed-area table. Unsigned, so that sums may wrap: differences come out right.
void integral_image(int n, int m, const unsigned in[restrict n][m], unsigned out[restrict n][m])
{
    unsigned row[n][m + 1], area[n + 1][m + 1];
#pragma scop
    for (int j = 0; j <= m; j++)
        area[0][j] = 0;
    for (int i = 0; i < n; i++)
        row[i][0] = 0;
    for (int i = 0; i < n; i++)
        area[i + 1][0] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            row[i][j + 1] = row[i][j] + in[i][j];
    for (int i = 0; i < n; i++)
        for (int j = 1; j <= m; j++)
            area[i + 1][j] = area[i][j] + row[i][j];

    for (int i = 4; i <= n; i++)
        for (int j = 4; j <= m; j++)
            out[i - 1][j - 1] = area[i][j] - area[i - 4][j] - area[i][j - 4] + area[i - 4][j - 4];
#pragma endscop
}
