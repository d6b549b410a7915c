// function: optical_flow
// sizes: n=22, m=25
// sizes: n=4, m=4
// sizes: n=2, m=2
// arrays: a=n*m, b=n*m, u=n*m, v=n*m
// output: u, v
// temporaries: ex=scalar, ey=scalar, et=scalar, mean_u=window m, mean_v=window m, share=scalar
// loops: 8 -> 1

// An iteration of Horn and Schunck's method, in place: means are taken of neighbours below and to the right only, which are
// still old when the sweeps run as one.
void optical_flow(int n, int m, float alpha, const float a[restrict n][m], const float b[restrict n][m],
                  float u[restrict n][m], float v[restrict n][m])
{
    float ex[n][m], ey[n][m], et[n][m], mean_u[n][m], mean_v[n][m], share[n][m];
#pragma scop
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            ex[i][j] = 0.5f * (a[i][j + 1] - a[i][j] + b[i][j + 1] - b[i][j]);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            ey[i][j] = 0.5f * (a[i + 1][j] - a[i][j] + b[i + 1][j] - b[i][j]);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            et[i][j] = b[i][j] - a[i][j];

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            mean_u[i][j] = 0.5f * (u[i + 1][j] + u[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            mean_v[i][j] = 0.5f * (v[i + 1][j] + v[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            share[i][j] = (ex[i][j] * mean_u[i][j] + ey[i][j] * mean_v[i][j] + et[i][j])
                        / (alpha + 0.1f + ex[i][j] * ex[i][j] + ey[i][j] * ey[i][j]);

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            u[i][j] = mean_u[i][j] - ex[i][j] * share[i][j];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            v[i][j] = mean_v[i][j] - ey[i][j] * share[i][j];
#pragma endscop
}
