// Global arrays of two and three dimensions. That a column's number is below the length of a row has to be seen from the loop's bounds.
// fuse: squares 2, part 0, jacobi 2, three_d 3, row_sums 2, diagonal 2, one_row 2
// refuse: part backward-dependence
// run: squares runs=30
// run: part n=0..24 m=0..24
// run: jacobi runs=30
// run: three_d runs=30
// run: row_sums n=0..24
// run: diagonal runs=30
// run: one_row runs=30

double A[24][24], B[24][24], C[24][24], S[24], T[24];
double X[8][8][8], Y[8][8][8];

void squares(void)
{
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            A[i][j] = B[i][j] * B[i][j];
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            C[i][j] = A[i][j] - B[i][j];
}

void part(int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            A[i][j] = B[i][j] + 1.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            B[i][j] = A[i][j] * 0.5;
}

// The second nest overwrites what the first reads around: it follows a row behind.
void jacobi(void)
{
    for (int i = 1; i < 23; i++)
        for (int j = 1; j < 23; j++)
            B[i][j] = 0.25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
    for (int i = 1; i < 23; i++)
        for (int j = 1; j < 23; j++)
            A[i][j] = B[i][j] * 0.5;
}

void three_d(void)
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < 8; k++)
                X[i][j][k] = Y[i][j][k] * 0.5;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < 8; k++)
                Y[i][j][k] = X[i][j][k] + 1.0;
}

// What an inner loop sums up is stored before the second nest's row begins.
void row_sums(int n)
{
    for (int i = 0; i < n; i++) {
        S[i] = 0.0;
        for (int j = 0; j < n; j++)
            S[i] += A[i][j];
    }
    for (int i = 0; i < n; i++) {
        T[i] = 0.0;
        for (int j = 0; j < n; j++)
            T[i] += A[i][j] * A[i][j];
    }
}

// Triangles.
void diagonal(void)
{
    for (int i = 0; i < 24; i++)
        for (int j = 0; j <= i; j++)
            A[i][j] = B[i][j] + 2.0;
    for (int i = 0; i < 24; i++)
        for (int j = 0; j <= i; j++)
            C[i][j] = A[i][j] * 3.0;
}

// The second nest's inner loop reads the first element of a row in all iterations, which the first makes in its first: both levels fuse.
void one_row(void)
{
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            A[i][j] = B[i][j] + S[j];
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            C[i][j] = A[i][0] * B[i][j];
}
