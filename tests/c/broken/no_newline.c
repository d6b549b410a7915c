// expect: fused: the file ends in the line of the pragma, without a newline
// function: no_newline
// sizes: n=20
// arrays: a=n, b=n
// output: b

void no_newline(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1;
#pragma endscop
} // the end