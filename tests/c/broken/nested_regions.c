// expect: left as it was, with a message: a region begins in a region
// function: nested_regions
// sizes: n=20
// arrays: a=n, b=n
// output: b

void nested_regions(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
#pragma scop
    for (int i = 0; i < n; i++)
        b[i] = t[i];
#pragma endscop
    for (int i = 0; i < n; i++)
        b[i] += 1;
#pragma endscop
}
