// expect: left as it was, or fused: assignments within expressions, commas and increments in subscripts
// function: sequenced
// sizes: n=20
// arrays: a=n, b=n
// output: b

void sequenced(int n, const int *restrict a, int *restrict b)
{
    int t[n];
    int k = 0, s;
#pragma scop
    for (int i = 0; i < n; i++)
        t[k++] = a[i];
    for (int i = 0, j = n - 1; i < n; i++, j--)
        b[i] = (s = t[i], s + t[j]);
#pragma endscop
}
