// function: known_from_its_iteration
// sizes: n=9, m=7
// sizes: n=1, m=1
// arrays: a=n*m, out=n*m
// output: out

// Tables that are computed from a scalar of their own iteration, which may be computed with them wherever they are read.
void known_from_its_iteration(int n, int m, const float *restrict a, float *restrict out)
{
    float part[m], row[n][m];
    int whole[m];
#pragma scop
    for (int j = 0; j < m; j++) {
        float p = j * 0.77f;
        whole[j] = (int)p;
        part[j] = p - whole[j];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int next = whole[j] + 1 < m ? whole[j] + 1 : m - 1;
            row[i][j] = a[i * m + whole[j]] * (1 - part[j]) + a[i * m + next] * part[j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i * m + j] = row[i][j] + (i ? row[i - 1][j] : 0);
#pragma endscop
}
