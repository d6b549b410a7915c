// function: second_differences
// sizes: n=20
// sizes: n=0
// sizes: n=1
// sizes: n=2
// sizes: n=3
// sizes: n=5
// sizes: n=8
// arrays: a=n, b=n
// output: b
// temporaries: t=window 2, u=window 2
// loops: 3 -> 1

// Arrays that are shorter than the strips that loops may be cut into.
void second_differences(int n, const int *restrict a, int *restrict b)
{
    int t[n + 1], u[n + 1];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 1; i < n; i++)
        u[i] = t[i] - t[i - 1];
    for (int i = 2; i < n; i++)
        b[i] = u[i] - u[i - 1];
#pragma endscop
}
