// expect: handled partly: the first two nests are fused and `t` becomes a scalar; the `while` loop and what follows stay
// function: while_loop_aside
// sizes: n=20
// arrays: a=n, b=n, c=n
// output: b, c

void while_loop_aside(int n, const int *restrict a, int *restrict b, int *restrict c)
{
    int t[n];
    int k = 0;
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = 2 * a[i];
    for (int i = 0; i < n; i++)
        b[i] = t[i] + a[i];
    while (k < n && b[k] > 0)
        k++;
    for (int i = 0; i < n; i++)
        c[i] = b[i] + k;
#pragma endscop
}
