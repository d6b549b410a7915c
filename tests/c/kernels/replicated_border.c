// function: replicated_border
// sizes: n=13, m=18
// sizes: n=1, m=1
// sizes: n=2, m=7
// arrays: in=n*m, out=n*m
// output: out
// temporaries: padded=window 3 x m + 2
// loops: 5 -> 1

// A 3 x 3 sharpening mask on an image that is extended by its border first: rows, then columns of what that gave.
void replicated_border(int n, int m, const float in[restrict n][m], float out[restrict n][m])
{
    float padded[n + 2][m + 2];
#pragma scop
    for (int j = 0; j < m; j++)
        padded[0][j + 1] = in[0][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            padded[i + 1][j + 1] = in[i][j];
    for (int j = 0; j < m; j++)
        padded[n + 1][j + 1] = in[n - 1][j];
    for (int i = 0; i < n + 2; i++) {
        padded[i][0] = padded[i][1];
        padded[i][m + 1] = padded[i][m];
    }

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i][j] = 5.0f * padded[i + 1][j + 1] - padded[i][j + 1] - padded[i + 2][j + 1] - padded[i + 1][j] -
                        padded[i + 1][j + 2];
#pragma endscop
}
