// expect: left as it was, with a message: the region has no end

void missing_endscop(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++)
        b[i] = t[i];
}
