// expect: fused, and the lines that it writes end as the others do
// function: crlf
// sizes: n=20
// arrays: a=n, b=n
// output: b

void crlf(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1;
#pragma endscop
}
