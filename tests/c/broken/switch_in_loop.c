// expect: left as it was, or fused with the `switch` as one statement: its cases read and write at `i` only
// function: switch_in_loop
// sizes: n=20
// arrays: a=n, b=n
// output: b

void switch_in_loop(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i] & 7;
    for (int i = 0; i < n; i++)
        switch (t[i]) {
        case 0:
            b[i] = 1;
            break;
        case 1:
        case 2:
            b[i] = 5;
            /* fall through */
        default:
            b[i] = b[i] + 1;
        }
#pragma endscop
}
