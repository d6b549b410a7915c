// function: frame_difference
// sizes: t=4, n=12, m=15
// sizes: t=1, n=1, m=1
// sizes: t=2, n=3, m=2
// arrays: video=t*n*m, moving=t*n*m
// output: moving
// temporaries: smooth=window 2 x n x m, change=window 3 x m
// loops: 3 -> 1

// Motion in a film: each frame is smoothed, compared with the frame before, and the differences are averaged in columns.
void frame_difference(int t, int n, int m, const float video[restrict t][n][m], float moving[restrict t][n][m])
{
    float smooth[t][n][m], change[t][n][m];
#pragma scop
    for (int k = 0; k < t; k++)
        for (int i = 0; i < n; i++)
            for (int j = 1; j < m - 1; j++)
                smooth[k][i][j] = 0.25f * (video[k][i][j - 1] + 2.0f * video[k][i][j] + video[k][i][j + 1]);

    for (int k = 1; k < t; k++)
        for (int i = 0; i < n; i++)
            for (int j = 1; j < m - 1; j++)
                change[k][i][j] = (smooth[k][i][j] - smooth[k - 1][i][j]) * (smooth[k][i][j] - smooth[k - 1][i][j]);

    for (int k = 1; k < t; k++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                moving[k][i][j] = (change[k][i - 1][j] + change[k][i][j] + change[k][i + 1][j]) / 3.0f;
#pragma endscop
}
