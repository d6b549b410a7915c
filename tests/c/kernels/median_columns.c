// function: median_columns
// sizes: n=24, m=29
// sizes: n=3, m=3
// sizes: n=5, m=2
// arrays: in=n*m, out=n*m
// output: out
// temporaries: lo=window m, mid=window m, hi=window m
// loops: 4 -> 1

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MED(a, b, c) MAX(MIN(a, b), MIN(MAX(a, b), c))

// A 3 x 3 median: each column of three is sorted once, and the sorted columns are combined.
void median_columns(int n, int m, const int in[restrict n][m], int out[restrict n][m])
{
    int lo[n][m], mid[n][m], hi[n][m];
#pragma scop
    for (int i = 1; i < n - 1; i++)
        for (int j = 0; j < m; j++)
            lo[i][j] = MIN(in[i - 1][j], MIN(in[i][j], in[i + 1][j]));
    for (int i = 1; i < n - 1; i++)
        for (int j = 0; j < m; j++)
            mid[i][j] = MED(in[i - 1][j], in[i][j], in[i + 1][j]);
    for (int i = 1; i < n - 1; i++)
        for (int j = 0; j < m; j++)
            hi[i][j] = MAX(in[i - 1][j], MAX(in[i][j], in[i + 1][j]));

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            int largest_lo = MAX(lo[i][j - 1], MAX(lo[i][j], lo[i][j + 1]));
            int median_mid = MED(mid[i][j - 1], mid[i][j], mid[i][j + 1]);
            int least_hi = MIN(hi[i][j - 1], MIN(hi[i][j], hi[i][j + 1]));
            out[i][j] = MED(largest_lo, median_mid, least_hi);
        }
#pragma endscop
}
