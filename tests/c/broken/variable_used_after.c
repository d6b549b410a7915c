// expect: fused, with `i` and `last` as the nests would have left them: both are read behind the region
// function: variable_used_after
// sizes: n=20
// sizes: n=1
// arrays: a=n, b=n
// output: b

int variable_used_after(int n, const int *restrict a, int *restrict b)
{
    int t[n];
    int i, last = 0;
#pragma scop
    for (i = 0; i < n; i++)
        t[i] = a[i] / 2;
    for (i = 0; i < n; i++) {
        last = t[i];
        b[i] = last + 1;
    }
#pragma endscop
    return 1000 * i + last;
}
