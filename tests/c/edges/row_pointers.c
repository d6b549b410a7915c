// function: row_pointers
// sizes: n=9, m=7, stride=10
// sizes: n=1, m=1, stride=1
// arrays: in=n*stride, out=n*m
// output: out

// A pointer to the start of a row, of an array whose rows are longer than what is read of them: it stays a pointer, under its own name.
void row_pointers(int n, int m, int stride, const float *restrict in, float *restrict out)
{
    float t[n][m];
#pragma scop
    for (int i = 0; i < n; i++) {
        const float *row = in + i * stride;
        for (int j = 0; j < m; j++)
            t[i][j] = row[j] * 2;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i * m + j] = t[i][j] + 1;
#pragma endscop
}
