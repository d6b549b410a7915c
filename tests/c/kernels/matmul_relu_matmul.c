// function: matmul_relu_matmul
// sizes: n=17, m=13, l=11, k=9
// sizes: n=1, m=1, l=1, k=1
// sizes: n=2, m=3, l=4, k=5
// arrays: a=n*l, b=l*m, d=m*k, c=n*k
// output: c
// temporaries: hidden=scalar, active=scalar
// loops: 5 -> 1

// Two layers of a network: c = relu(a b) d. The second product runs along its rows, so that each hidden value is used up
// as soon as it is there.
void matmul_relu_matmul(int n, int m, int l, int k, const float a[restrict n][l], const float b[restrict l][m],
                        const float d[restrict m][k], float c[restrict n][k])
{
    float hidden[n][m], active[n][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            hidden[i][j] = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int p = 0; p < l; p++)
                hidden[i][j] += a[i][p] * b[p][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            active[i][j] = hidden[i][j] > 0.0f ? hidden[i][j] : 0.0f;

    for (int i = 0; i < n; i++)
        for (int q = 0; q < k; q++)
            c[i][q] = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int q = 0; q < k; q++)
                c[i][q] += active[i][j] * d[j][q];
#pragma endscop
}
