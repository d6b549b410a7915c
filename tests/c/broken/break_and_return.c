// expect: left as it was: `break` and `return` end loops early
// function: break_and_return
// sizes: n=20
// sizes: n=1
// arrays: a=n, b=n
// output: b

int break_and_return(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++) {
        t[i] = a[i];
        if (a[i] > 120)
            return i;
    }
    for (int i = 0; i < n; i++) {
        if (t[i] < -120)
            break;
        b[i] = t[i];
    }
#pragma endscop
    return n;
}
