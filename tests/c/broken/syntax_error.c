// expect: left as it was, with a message: a parenthesis is missing in the second nest

void syntax_error(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++)
        b[i] = (t[i] + 1;
#pragma endscop
}
