// expect: left as it was: which loops there are depends on the preprocessor
// function: conditional_text
// sizes: n=20
// arrays: a=n, b=n
// output: b

void conditional_text(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
#ifdef SMOOTH
    for (int i = 1; i < n; i++)
        t[i] = (a[i] + a[i - 1]) / 2;
#else
    for (int i = 0; i < n; i++) {
        t[i] += 1;
#endif
#ifndef SMOOTH
    }
#endif
    for (int i = 0; i < n; i++)
        b[i] = t[i];
#pragma endscop
}
