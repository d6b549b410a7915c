// expect: handled partly: products and remainders of variables are not affine, so the last nest stays; the first two are fused
// function: nonlinear_subscripts
// sizes: n=12
// sizes: n=1
// arrays: a=n*n, b=n*n
// output: b

void nonlinear_subscripts(int n, const int *restrict a, int *restrict b)
{
    int t[n * n], u[n * n];
#pragma scop
    for (int i = 0; i < n * n; i++)
        t[i] = a[i] + 1;
    for (int i = 0; i < n * n; i++)
        u[i] = t[i] ^ a[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i * j] = u[(i * i + j) % (n * n)];
#pragma endscop
}
