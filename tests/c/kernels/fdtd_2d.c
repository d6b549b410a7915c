// function: fdtd_2d
// sizes: n=18, m=22
// sizes: n=1, m=1
// sizes: n=2, m=3
// arrays: ex=n*m, ey=n*m, hz=n*m
// output: ex, ey, hz
// temporaries: curl=scalar
// loops: 5 -> 2

// One step of Yee's scheme: electric field, curl, magnetic field; everything in place. The source is a nest that is less deep.
void fdtd_2d(int n, int m, double source, double ex[restrict n][m], double ey[restrict n][m], double hz[restrict n][m])
{
    double curl[n][m];
#pragma scop
    for (int j = 0; j < m; j++)
        ey[0][j] = source;
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++)
            ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);

    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < m - 1; j++)
            curl[i][j] = ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j];
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < m - 1; j++)
            hz[i][j] = hz[i][j] - 0.7 * curl[i][j];
#pragma endscop
}
