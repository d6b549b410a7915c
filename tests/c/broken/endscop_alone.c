// expect: left as it was, with a message: there is an end without a region, and a region that ends outside of its function

void endscop_alone(int n, const int *restrict a, int *restrict b)
{
#pragma endscop
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++)
        b[i] = t[i];
}
#pragma endscop
