// function: pyramid_down
// sizes: n=17, m=19
// sizes: n=1, m=1
// sizes: n=2, m=5
// arrays: in=(2*n+1)*(2*m+1), out=n*m
// output: out
// temporaries: narrow=window 3 x m, small=scalar
// loops: 3 -> 1

// Half the size in both directions, smoothed with 1 2 1 first; the input has a border of one on every other side.
void pyramid_down(int n, int m, float gain, const float in[restrict 2 * n + 1][2 * m + 1], float out[restrict n][m])
{
    float narrow[2 * n + 1][m], small[n][m];
#pragma scop
    for (int i = 0; i < 2 * n + 1; i++)
        for (int j = 0; j < m; j++)
            narrow[i][j] = 0.25f * (in[i][2 * j] + 2.0f * in[i][2 * j + 1] + in[i][2 * j + 2]);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            small[i][j] = 0.25f * (narrow[2 * i][j] + 2.0f * narrow[2 * i + 1][j] + narrow[2 * i + 2][j]);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i][j] = gain * small[i][j] + 0.5f;
#pragma endscop
}
