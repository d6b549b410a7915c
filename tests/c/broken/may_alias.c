// expect: left as it was: `a` and `b` may be the same memory, so that the second nest may read what the first has written
// function: may_alias
// sizes: n=20
// arrays: a=n, b=n
// output: a, b

void may_alias(int n, float *a, float *b)
{
#pragma scop
    for (int i = 0; i < n - 1; i++)
        a[i] = 2.0f * b[i + 1];
    for (int i = 0; i < n - 1; i++)
        b[i] = a[i] + 1.0f;
#pragma endscop
}
