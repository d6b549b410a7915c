// function: axpy_chain
// sizes: n=101
// sizes: n=1
// sizes: n=2
// arrays: x=n, y=n, z=n, w=n
// output: w
// temporaries: u=scalar, v=scalar
// loops: 4 -> 1

// A chain of vector operations as from a library of them, and a scalar product at the end.
float axpy_chain(int n, float a, float b, const float *restrict x, const float *restrict y, const float *restrict z,
                 float *restrict w)
{
    float u[n], v[n];
    float dot = 0.0f;
#pragma scop
    for (int i = 0; i < n; i++)
        u[i] = a * x[i] + y[i];
    for (int i = 0; i < n; i++)
        v[i] = b * u[i] + z[i];
    for (int i = 0; i < n; i++)
        w[i] = 0.5f * v[i] + u[i];
    for (int i = 0; i < n; i++)
        dot += w[i] * v[i];
#pragma endscop
    return dot;
}
