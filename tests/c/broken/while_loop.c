// expect: left as it was: how often a `while` loop runs is not known, and it stands between the nests
// function: while_loop
// sizes: n=20
// arrays: a=n, b=n
// output: b

void while_loop(int n, const int *restrict a, int *restrict b)
{
    int t[n];
    int k = 0;
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = 2 * a[i];
    while (k < n && t[k] > 0)
        k++;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + k;
#pragma endscop
}
