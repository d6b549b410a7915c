// function: bilateral
// sizes: n=23, m=31
// sizes: n=3, m=4
// sizes: n=1, m=5
// arrays: in=n*m, out=n*m
// output: out
// temporaries: total=scalar, weights=scalar, smooth=scalar
// loops: 5 -> 1

// Smooths within regions: neighbours weigh less the more their values differ (a rational falloff for the Gaussian).
void bilateral(int n, int m, float sigma, const float in[restrict n][m], float out[restrict n][m])
{
    float total[n][m], weights[n][m], smooth[n][m];
#pragma scop
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            total[i][j] = weights[i][j] = 0.0f;

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++) {
                    float d = in[i + di][j + dj] - in[i][j];
                    total[i][j] += in[i + di][j + dj] / (1.0f + d * d / (sigma + 0.01f));
                }
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++) {
                    float d = in[i + di][j + dj] - in[i][j];
                    weights[i][j] += 1.0f / (1.0f + d * d / (sigma + 0.01f));
                }

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            smooth[i][j] = total[i][j] / weights[i][j];
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            out[i][j] = 0.8f * smooth[i][j] + 0.2f * in[i][j];
#pragma endscop
}
