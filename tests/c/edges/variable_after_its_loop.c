// function: counted
// sizes: n=6
// sizes: n=0
// sizes: n=1
// sizes: n=2
// sizes: n=3
// sizes: n=17
// arrays: a=n, b=n+2
// output: b
// temporaries: t=scalar
// loops: 2 -> 1

// The variable of loops outlives them, and counts again after it was read.
void counted(int n, const int *restrict a, int *restrict b)
{
    int i, t[n + 1];
#pragma scop
    for (i = 0; i < n; i++)
        b[i] = a[i];
    b[n] = i;
    for (int k = 0; k < n; k++)
        t[k] = b[k] + 1;
    for (int k = 0; k < n; k++)
        b[k] = t[k] * 2;
    for (i = 3; i < n; i += 4)
        b[i] += i;
#pragma endscop
    b[n + 1] = i;
}
