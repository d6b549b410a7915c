// function: value_known_in_bounds
// sizes: n=9
// sizes: n=1
// arrays: in=2*n+2, out=n
// output: out

// The bounds name a variable whose value is known, so that its declaration goes; a loop that stays as it is must not name it then.
void value_known_in_bounds(int n, const float *restrict in, float *restrict out)
{
#pragma scop
    float scale = 0.5f;
    int h = (n + 1) / 2;
    for (int i = 0; i < h - 1; i++)
        out[i] = scale * (in[2 * i] + in[2 * i + 1]);
    for (int i = 0; i < h; i++)
            out[i] = 0;
    for (int i = h; i < n; i++)
            out[i] = in[i];
#pragma endscop
}
