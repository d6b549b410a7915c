// function: conv_relu_pool
// sizes: out_ch=3, in_ch=2, n=7, m=9
// sizes: out_ch=1, in_ch=1, n=1, m=1
// sizes: out_ch=2, in_ch=3, n=2, m=1
// arrays: in=in_ch*(2*n+2)*(2*m+2), weight=out_ch*in_ch*9, bias=out_ch, out=out_ch*n*m
// output: out
// temporaries: conv=scalar, active=window 2 * m
// loops: 4 -> 1

// A layer of a network for images: convolution, bias and relu, maxima over 2 x 2 squares.
void conv_relu_pool(int out_ch, int in_ch, int n, int m, const float in[restrict in_ch][2 * n + 2][2 * m + 2],
                    const float weight[restrict out_ch][in_ch][3][3], const float bias[restrict out_ch],
                    float out[restrict out_ch][n][m])
{
    float conv[out_ch][2 * n][2 * m], active[out_ch][2 * n][2 * m];
#pragma scop
    for (int o = 0; o < out_ch; o++)
        for (int i = 0; i < 2 * n; i++)
            for (int j = 0; j < 2 * m; j++)
                conv[o][i][j] = bias[o];
    for (int o = 0; o < out_ch; o++)
        for (int i = 0; i < 2 * n; i++)
            for (int j = 0; j < 2 * m; j++)
                for (int c = 0; c < in_ch; c++)
                    for (int u = 0; u < 3; u++)
                        for (int v = 0; v < 3; v++)
                            conv[o][i][j] += weight[o][c][u][v] * in[c][i + u][j + v];
    for (int o = 0; o < out_ch; o++)
        for (int i = 0; i < 2 * n; i++)
            for (int j = 0; j < 2 * m; j++)
                active[o][i][j] = conv[o][i][j] > 0.0f ? conv[o][i][j] : 0.1f * conv[o][i][j];

    for (int o = 0; o < out_ch; o++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                float upper = active[o][2 * i][2 * j] > active[o][2 * i][2 * j + 1] ? active[o][2 * i][2 * j]
                                                                                    : active[o][2 * i][2 * j + 1];
                float lower = active[o][2 * i + 1][2 * j] > active[o][2 * i + 1][2 * j + 1]
                            ? active[o][2 * i + 1][2 * j] : active[o][2 * i + 1][2 * j + 1];
                out[o][i][j] = upper > lower ? upper : lower;
            }
#pragma endscop
}
