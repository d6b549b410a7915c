// function: table_with_first_row
// sizes: n=18, m=23
// sizes: n=1, m=1
// sizes: n=2, m=3
// arrays: cost=n*m, best=n*m
// output: best
// temporaries: penalty=kept, path=window 2 x m
// loops: 4 -> 3

// Cheapest paths from the top to every pixel (as for seam carving). The first row of the table is a nest of its own that
// is less deep and lies between the other two.
void table_with_first_row(int n, int m, const int cost[restrict n][m], int best[restrict n][m])
{
    int penalty[n][m], path[n][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            penalty[i][j] = cost[i][j] * cost[i][j] + 1;

    for (int j = 0; j < m; j++)
        path[0][j] = penalty[0][j] + penalty[n - 1][j];

    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++) {
            int least = path[i - 1][j];
            if (j > 0)
                least = path[i - 1][j - 1] < least ? path[i - 1][j - 1] : least;
            if (j < m - 1)
                least = path[i - 1][j + 1] < least ? path[i - 1][j + 1] : least;
            path[i][j] = penalty[i][j] + least;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            best[i][j] = path[i][j] - i;
#pragma endscop
}
