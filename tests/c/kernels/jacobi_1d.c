// function: jacobi_1d
// sizes: n=77
// sizes: n=3
// sizes: n=1
// sizes: n=5
// arrays: a=n, b=n
// output: b
// temporaries: once=window 3
// loops: 2 -> 1

// Two sweeps of a stencil of three points; the end points keep their values.
void jacobi_1d(int n, const float *restrict a, float *restrict b)
{
    float once[n];
#pragma scop
    once[0] = a[0];
    for (int i = 1; i < n - 1; i++)
        once[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
    if (n > 1)
        once[n - 1] = a[n - 1];

    for (int i = 1; i < n - 1; i++)
        b[i] = 0.25f * once[i - 1] + 0.5f * once[i] + 0.25f * once[i + 1];
#pragma endscop
}
