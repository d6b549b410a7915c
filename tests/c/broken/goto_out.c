// expect: left as it was: `goto` leaves a loop
// function: goto_out
// sizes: n=20
// arrays: a=n, b=n
// output: b

int goto_out(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i] - 1;
    for (int i = 0; i < n; i++) {
        if (t[i] == 77)
            goto found;
        b[i] = t[i];
    }
#pragma endscop
    return -1;
found:
    return 1;
}
