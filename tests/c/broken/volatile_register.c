// expect: left as it was: the accesses to `port` are volatile, and their order is visible
// function: volatile_register
// sizes: n=20
// arrays: a=n, b=n
// output: b

static volatile int port;

void volatile_register(int n, const int *restrict a, int *restrict b)
{
    int t[n];
#pragma scop
    for (int i = 0; i < n; i++) {
        port = i;
        t[i] = a[i];
    }
    for (int i = 0; i < n; i++)
        b[i] = t[i] + port;
#pragma endscop
}
