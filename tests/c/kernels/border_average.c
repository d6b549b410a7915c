// function: border_average
// sizes: n=26, m=21
// sizes: n=1, m=1
// sizes: n=2, m=3
// sizes: n=4, m=4
// arrays: in=n*m, out=n*m
// output: out
// temporaries: mean=window 3 x m
// loops: 2 -> 1

// Two smoothing steps; pixels of the border are copied, by conditions on the position.
void border_average(int n, int m, const float in[restrict n][m], float out[restrict n][m])
{
    float mean[n][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            if (i == 0 || j == 0 || i == n - 1 || j == m - 1)
                mean[i][j] = in[i][j];
            else
                mean[i][j] = 0.25f * (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
        }

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            if (i >= 1 && i < n - 1)
                out[i][j] = 0.5f * mean[i][j] + 0.25f * (mean[i - 1][j] + mean[i + 1][j]);
            else
                out[i][j] = mean[i][j];
        }
#pragma endscop
}
