// expect: left as it was: `next` changes a variable of the file, so that the order of its calls matters
// function: side_effects
// sizes: n=20
// arrays: a=n, b=n
// output: b

static unsigned state = 1;

static int next(void)
{
    state = state * 1103515245u + 12345u;
    return (int)(state >> 24);
}

void side_effects(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i] + next();
    for (int i = 0; i < n; i++)
        b[i] = t[i] * (next() & 3);
#pragma endscop
}
