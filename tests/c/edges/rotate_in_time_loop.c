// function: relax
// sizes: steps=3, n=9
// sizes: steps=0, n=4
// sizes: steps=1, n=0
// sizes: steps=2, n=1
// sizes: steps=2, n=2
// sizes: steps=2, n=3
// sizes: steps=3, n=4
// arrays: u=n
// output: u
// temporaries: v=window 2
// loops: 1 -> 1

// Two loops in place in a loop over time: every step begins with new values.
void relax(int steps, int n, int *restrict u)
{
    int v[n + 1];
#pragma scop
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = u[i - 1] + u[i + 1];
        for (int i = 1; i < n - 1; i++)
            u[i] = v[i] / 2;
    }
#pragma endscop
}
