// function: reused_temporary
// sizes: n=25, m=28
// sizes: n=3, m=3
// sizes: n=1, m=2
// arrays: in=n*m, dx=n*m, dy=n*m, both=n*m
// output: dx, dy, both
// temporaries: tmp=scalar
// loops: 6 -> 1

// One scratch array, used for three things in turn.
void reused_temporary(int n, int m, const double in[restrict n][m], double dx[restrict n][m], double dy[restrict n][m],
                      double both[restrict n][m])
{
    double tmp[n][m];
#pragma scop
    /* across */
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            tmp[i][j] = in[i][j + 1] - in[i][j - 1];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            dx[i][j] = 0.5 * tmp[i][j];

    /* down */
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            tmp[i][j] = in[i + 1][j] - in[i - 1][j];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            dy[i][j] = 0.5 * tmp[i][j];

    /* both */
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            tmp[i][j] = dx[i][j] * dx[i][j] + dy[i][j] * dy[i][j];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            both[i][j] = tmp[i][j] > 0.1 ? tmp[i][j] : 0.0;
#pragma endscop
}
