// function: gram_matrix
// sizes: n=25, m=12
// sizes: n=1, m=1
// sizes: n=2, m=4
// arrays: data=n*m, gram=m*m
// output: gram
// temporaries: mean=kept, centred=window m
// loops: 5 -> 4

// The covariance of the columns: means first, then the lower triangle, then the upper one by symmetry.
void gram_matrix(int n, int m, const double data[restrict n][m], double gram[restrict m][m])
{
    double mean[m], centred[n][m];
#pragma scop
    for (int j = 0; j < m; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += data[i][j];
        mean[j] = sum / n;
    }
    for (int a = 0; a < m; a++)
        for (int b = 0; b <= a; b++)
            gram[a][b] = 0.0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            centred[i][j] = data[i][j] - mean[j];
    for (int i = 0; i < n; i++)
        for (int a = 0; a < m; a++)
            for (int b = 0; b <= a; b++)
                gram[a][b] += centred[i][a] * centred[i][b];

    for (int a = 0; a < m; a++)
        for (int b = a + 1; b < m; b++)
            gram[a][b] = gram[b][a];
#pragma endscop
}
