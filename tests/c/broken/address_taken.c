// expect: left as it was: the address of `t` goes to a function that keeps it
// function: address_taken
// sizes: n=20
// arrays: a=n, b=n
// output: b

static int *kept;

static void keep(int *p)
{
    kept = p;
}

int address_taken(int n, const int *restrict a, int *restrict b)
{
    int t[n];
    keep(t);
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++)
        b[i] = t[i] + kept[0];
#pragma endscop
    return kept[n - 1];
}
