// expect: fused, but `buffer` stays: it is visible outside of the function
// function: global_temporary
// sizes: n=20
// arrays: a=n, b=n
// output: b

float buffer[64];

void global_temporary(int n, const float *restrict a, float *restrict b)
{
#pragma scop
    for (int i = 0; i < n; i++)
        buffer[i] = a[i] * 0.5f;
    for (int i = 0; i < n; i++)
        b[i] = buffer[i] + 1.0f;
#pragma endscop
}
