// function: commented_pipeline
// sizes: n=18, m=21
// sizes: n=3, m=3
// sizes: n=2, m=2
// arrays: in=n*m, out=n*m
// output: out
// temporaries: a=window 3 x m, b=window m
// loops: 3 -> 1

#define FOR_INNER(i, j) \
    for (int i = 1; i < n - 1; i++) \
        for (int j = 1; j < m - 1; j++)
#define SQUARE(x) ((x) * (x))
#define AVERAGE(x, y) (((x) + (y)) / 2) /* rounds to zero */

// Loops are made by a macro, and the text is full of what only looks like code.
void commented_pipeline(int n, int m, const int in[restrict n][m], int out[restrict n][m])
{
    int a[n][m], b[n][m];
#pragma scop
    // for (int i = 0; i < n; i++) a[i][0] = 0;  -- not needed: { columns start at 1
    for (int i = 0; i < n; i++) /* every row */
        for (int j = 0; j < m; j++) {
            /* squares;
               of both signs */
            a[i][j] = SQUARE(in[i][j]) /* not negative */ / 3 + 1;
        } // end of squares }

    FOR_INNER(i, j) {
        b[i][j] = AVERAGE(a[i - 1][j], a[i + 1][j]); // "vertical
    }

    FOR_INNER(i, j) {
        if (j > 1)
            out[i][j] = AVERAGE(b[i][j], b[i][j - 1]) + (in[i][j] > 0 ? '}' : '"');
        else
            out[i][j] = b[i][j];
    }
#pragma endscop
}
