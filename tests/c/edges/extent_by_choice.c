// function: extent_by_choice
// sizes: n=9
// sizes: n=1
// sizes: n=0
// arrays: in=n, out=n
// output: out

// The extent is a choice between two numbers, so that it is never 0.
void extent_by_choice(int n, const int *restrict in, int *restrict out)
{
    int t[n ? n : 1], u[n == 3 ? 7 : n ? n : 1];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = in[i] * 3;
    for (int i = 0; i < n; i++)
        u[i] = t[i] >> 1;
    for (int i = 0; i < n; i++)
        out[i] = u[i] + t[i];
#pragma endscop
}
