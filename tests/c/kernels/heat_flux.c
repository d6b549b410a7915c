// function: heat_flux
// sizes: n=24, m=35
// sizes: n=3, m=3
// sizes: n=1, m=4
// arrays: u=n*m, next=n*m
// output: next
// temporaries: east=window m, south=window 2 x m
// loops: 3 -> 1

// Heat conduction in conservative form: fluxes through the edges of the cells, then the balance of each cell.
void heat_flux(int n, int m, float k, const float u[restrict n][m], float next[restrict n][m])
{
    float east[n][m], south[n][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m - 1; j++)
            east[i][j] = k * (u[i][j + 1] - u[i][j]);
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < m; j++)
            south[i][j] = k * (u[i + 1][j] - u[i][j]) * (u[i + 1][j] + u[i][j] > 0.0f ? 1.0f : 0.5f);

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            next[i][j] = u[i][j] + 0.2f * (east[i][j] - east[i][j - 1] + south[i][j] - south[i - 1][j]);
#pragma endscop
}
