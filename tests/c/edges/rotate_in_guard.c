// function: differences
// sizes: n=6
// sizes: n=0
// sizes: n=1
// sizes: n=2
// sizes: n=3
// sizes: n=17
// arrays: a=n, b=n
// output: b
// temporaries: t=window 2
// loops: 2 -> 1

// Every second difference: what is left of the loop is one iteration in a condition.
void differences(int n, const int *restrict a, int *restrict b)
{
    int t[n + 1];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 1; i < n; i += 2)
        b[i] = t[i] - t[i - 1];
#pragma endscop
}
