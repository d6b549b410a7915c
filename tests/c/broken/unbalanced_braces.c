// expect: left as it was, with a message: a brace is opened in the region and closed behind it
// function: unbalanced_braces
// sizes: n=20
// arrays: a=n, b=n
// output: b

void unbalanced_braces(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++) {
        b[i] = t[i];
#pragma endscop
        b[i]++;
    }
}
