// expect: fused: the region lies in a loop of which it sees nothing; `s` lives on from one time to the next and stays
// function: region_in_loop
// sizes: n=20, steps=3
// sizes: n=1, steps=0
// arrays: a=n, b=n
// output: a, b

void region_in_loop(int n, int steps, float *restrict a, float *restrict b)
{
    float t[n], s[n];
    for (int i = 0; i < n; i++)
        s[i] = 0.0f;
    for (int step = 0; step < steps; step++) {
#pragma scop
        for (int i = 0; i < n; i++)
            t[i] = 0.5f * a[i] + s[i];
        for (int i = 0; i < n; i++)
            b[i] = t[i];
        for (int i = 0; i < n; i++)
            s[i] = b[i] * 0.25f;
#pragma endscop
        for (int i = 0; i < n; i++)
            a[i] = b[i];
    }
}
