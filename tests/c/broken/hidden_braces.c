// expect: left as it was, or fused after expansion: macros open and close the loops
// function: hidden_braces
// sizes: n=20
// arrays: a=n, b=n
// output: b

#define EACH(i) for (int i = 0; i < n; i++) {
#define DONE }
#define BEGIN {

void hidden_braces(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    EACH(i)
        t[i] = a[i] * 2;
    DONE
    for (int i = 0; i < n; i++) BEGIN
        b[i] = t[i];
    DONE
#pragma endscop
}
