// function: two_regions
// sizes: n=17, m=24
// sizes: n=1, m=1
// sizes: n=2, m=3
// arrays: in=n*m, out=n*m, sums=n
// output: out, sums
// temporaries: half=scalar, twice=scalar
// loops: 4 -> 2

// Two regions in one function, with code between that stays as it is.
int two_regions(int n, int m, const int in[restrict n][m], int out[restrict n][m], int sums[restrict n])
{
    int half[n][m], twice[n];
    int negative = 0;
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            half[i][j] = in[i][j] / 2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i][j] = half[i][j] + in[i][j];
#pragma endscop

    while (negative < n && out[negative][0] < 0)
        negative++;

#pragma scop
    for (int i = 0; i < n; i++)
        twice[i] = 2 * out[i][m - 1];
    for (int i = 0; i < n; i++)
        sums[i] = twice[i] + out[i][0];
#pragma endscop
    return negative;
}
