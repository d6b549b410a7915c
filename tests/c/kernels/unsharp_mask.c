// function: unsharp_mask
// sizes: n=37, m=53
// sizes: n=5, m=5
// sizes: n=3, m=9
// sizes: n=1, m=1
// arrays: in=n*m, out=n*m
// output: out
// temporaries: blur_x=window 5 x m, blur=scalar, sharp=scalar
// loops: 4 -> 1

// Unsharp mask: where an image differs much from its blurred self, the difference is added once more.
void unsharp_mask(int n, int m, float weight, const float in[restrict n][m], float out[restrict n][m])
{
    float blur_x[n][m], blur[n][m], sharp[n][m];

#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 2; j < m - 2; j++)
            blur_x[i][j] = 0.0625f * in[i][j - 2] + 0.25f * in[i][j - 1] + 0.375f * in[i][j]
                         + 0.25f * in[i][j + 1] + 0.0625f * in[i][j + 2];

    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < m - 2; j++)
            blur[i][j] = 0.0625f * blur_x[i - 2][j] + 0.25f * blur_x[i - 1][j] + 0.375f * blur_x[i][j]
                       + 0.25f * blur_x[i + 1][j] + 0.0625f * blur_x[i + 2][j];

    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < m - 2; j++)
            sharp[i][j] = in[i][j] * (1.0f + weight) - blur[i][j] * weight;

    for (int i = 2; i < n - 2; i++)
        for (int j = 2; j < m - 2; j++) {
            float difference = in[i][j] - blur[i][j];
            out[i][j] = difference * difference < 0.01f ? in[i][j] : sharp[i][j];
        }
#pragma endscop
}
