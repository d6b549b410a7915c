// expect: left as it was: `p` and `q` point into one array, 1 apart
// function: same_pointer
// sizes: n=20
// arrays: a=n+1, b=n
// output: a, b

void same_pointer(int n, int *restrict a, int *restrict b)
{
    int *p = a, *q = a + 1;
#pragma scop
    for (int i = 0; i < n; i++)
        p[i] = i;
    for (int i = 0; i < n; i++)
        b[i] = q[n - 1 - i];
#pragma endscop
}
