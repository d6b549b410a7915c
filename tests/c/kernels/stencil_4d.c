// function: stencil_4d
// sizes: n=6, m=5, p=7, q=6
// sizes: n=5, m=3, p=3, q=3
// sizes: n=1, m=1, p=2, q=2
// arrays: a=n*m*p*q, b=n*m*p*q
// output: b
// temporaries: along=window 3 x m x p x q, mixed=scalar
// loops: 3 -> 1

// Diffusion on a four-dimensional lattice: one pass in the last two directions, one in the first two.
void stencil_4d(int n, int m, int p, int q, const float a[restrict n][m][p][q], float b[restrict n][m][p][q])
{
    float along[n][m][p][q], mixed[n][m][p][q];
#pragma scop
    for (int t = 0; t < n; t++)
        for (int x = 0; x < m; x++)
            for (int y = 1; y < p - 1; y++)
                for (int z = 1; z < q - 1; z++)
                    along[t][x][y][z] = 0.5f * a[t][x][y][z] + 0.125f * (a[t][x][y - 1][z] + a[t][x][y + 1][z]
                                                                         + a[t][x][y][z - 1] + a[t][x][y][z + 1]);
    for (int t = 1; t < n - 1; t++)
        for (int x = 1; x < m - 1; x++)
            for (int y = 1; y < p - 1; y++)
                for (int z = 1; z < q - 1; z++)
                    mixed[t][x][y][z] = 0.5f * along[t][x][y][z]
                                      + 0.125f * (along[t - 1][x][y][z] + along[t + 1][x][y][z]
                                                  + along[t][x - 1][y][z] + along[t][x + 1][y][z]);
    for (int t = 1; t < n - 1; t++)
        for (int x = 1; x < m - 1; x++)
            for (int y = 1; y < p - 1; y++)
                for (int z = 1; z < q - 1; z++)
                    b[t][x][y][z] = mixed[t][x][y][z] + 0.1f * a[t][x][y][z];
#pragma endscop
}
