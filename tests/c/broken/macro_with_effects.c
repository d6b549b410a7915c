// expect: left as it was, or fused after expansion: the macro writes to `t` as well, which its use does not show
// function: macro_with_effects
// sizes: n=20
// arrays: a=n, b=n
// output: b

#define STORE(x) (t[0] = (x))
#define SWAP(x, y) do { int s = x; x = y; y = s; } while (0)

void macro_with_effects(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++)
        b[i] = STORE(a[i]) + t[i];
    for (int i = 1; i < n; i++)
        SWAP(b[i], b[i - 1]);
#pragma endscop
}
