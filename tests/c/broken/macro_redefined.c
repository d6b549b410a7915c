// expect: left as it was: the meaning of `SCALE` changes in the region
// function: macro_redefined
// sizes: n=20
// arrays: a=n, b=n
// output: b

#define SCALE 2

void macro_redefined(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = SCALE * a[i];
#undef SCALE
#define SCALE 3
    for (int i = 0; i < n; i++)
        b[i] = SCALE * t[i];
#pragma endscop
}
