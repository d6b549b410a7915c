// function: mixed_depths
// sizes: n=27, m=32
// sizes: n=1, m=1
// sizes: n=3, m=4
// arrays: table=n*m, bias=n, totals=n
// output: totals
// temporaries: offset=scalar, shifted=scalar, total=scalar
// loops: 5 -> 1

// One number for each row, whole rows, sums of rows, and one number for each row again.
void mixed_depths(int n, int m, const float table[restrict n][m], const float bias[restrict n], float totals[restrict n])
{
    float offset[n], shifted[n][m], total[n];
    int i, j;
#pragma scop
    for (i = 0; i < n; i++)
        offset[i] = 0.5f * bias[i] - 0.25f;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            shifted[i][j] = table[i][j] + offset[i];
    for (i = 0; i < n; i++)
        total[i] = 0.0f;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            total[i] += shifted[i][j] * shifted[i][j];
    for (i = 0; i < n; i++)
        totals[i] = total[i] / (float)m;
#pragma endscop
}
