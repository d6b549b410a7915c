// expect: left as it was, or fused: variables of unsigned type wrap round, so `i - 1` at 0 and `i >= 0` are not what they seem
// function: unsigned_countdown
// sizes: n=20
// sizes: n=1
// arrays: a=n, b=n
// output: b

void unsigned_countdown(unsigned n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (unsigned i = 0; i < n; i++)
        t[i] = a[i];
    for (unsigned i = n - 1; i + 1 > 0; i--)
        b[i] = t[i];
    for (unsigned char c = 0; c < n; c++)
        b[c] += t[n - 1 - c];
#pragma endscop
}
