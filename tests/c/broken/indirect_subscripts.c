// expect: left as it was: the second nest reads `t` in an order that only the data know
// function: indirect_subscripts
// sizes: n=20
// arrays: key=n, a=n, b=n
// output: b

void indirect_subscripts(int n, const unsigned char *restrict key, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 3;
    for (int i = 0; i < n; i++)
        b[i] = t[key[i] % n];
#pragma endscop
}
