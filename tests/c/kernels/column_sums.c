// function: column_sums
// sizes: n=26, m=31
// sizes: n=1, m=1
// sizes: n=2, m=5
// arrays: a=n*m, sums=m
// output: sums
// temporaries: weighted=scalar
// loops: 2 -> 1

// Weighted by rows, added up by columns: the order of one of the nests must change to meet the other.
void column_sums(int n, int m, const float a[restrict n][m], float sums[restrict m])
{
    float weighted[n][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            weighted[i][j] = a[i][j] * (float)(i + 1);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            sums[j] += weighted[i][j];
#pragma endscop
}
