// expect: left as it was, or fused with the guard: where `skip` is set the second nest must not divide
// function: division_guarded
// sizes: n=20, skip=1
// sizes: n=20, skip=0
// arrays: a=n, b=n
// output: b

void division_guarded(int n, int skip, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = (a[i] & 3) + (1 - skip);
    if (!skip)
        for (int i = 0; i < n; i++)
            b[i] = 100 / t[i];
#pragma endscop
}
