// function: union_of_arrays
// sizes: n=8
// sizes: n=1
// sizes: n=0
// arrays: in=n, out=n
// output: out

union word { float number[8]; int bits[8]; };

// Members of a union share their memory, whatever their types are.
void union_of_arrays(int n, const float *restrict in, float *restrict out)
{
    union word word;
    float t[8];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = in[i] + 1.0f;
    for (int i = 0; i < n; i++)
        word.number[i] = t[i];
    for (int i = 0; i < n; i++)
        word.bits[n - 1 - i] &= 0x7fffffff;
    for (int i = 0; i < n; i++)
        out[i] = word.number[i] - t[i];
#pragma endscop
}
