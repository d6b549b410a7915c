// function: image_border
// sizes: n=13, m=18
// sizes: n=3, m=2
// sizes: n=2, m=5
// arrays: in=n*m, out=n*m
// output: out
// temporaries: mean=window 3 x m
// loops: 4 -> 1

// Smooths the inner points of an image, copies its border, rows and columns by loops of their own, and differentiates.
void image_border(int n, int m, const float in[restrict n][m], float out[restrict n][m])
{
    float mean[n][m];
#pragma scop
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            mean[i][j] = 0.2f * (in[i - 1][j] + in[i][j - 1] + in[i][j] + in[i][j + 1] + in[i + 1][j]);
    for (int j = 0; j < m; j++) {
        mean[0][j] = in[0][j];
        mean[n - 1][j] = in[n - 1][j];
    }
    for (int i = 1; i < n - 1; i++) {
        mean[i][0] = in[i][0];
        mean[i][m - 1] = in[i][m - 1];
    }

    for (int i = 1; i < n - 1; i++)
        for (int j = 0; j < m; j++)
            out[i][j] = mean[i + 1][j] - mean[i - 1][j];
#pragma endscop
}
