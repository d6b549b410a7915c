// function: allocated_in_another_region
// sizes: n=9
// sizes: n=1
// sizes: n=0
// arrays: in=n, mid=n, out=n
// output: mid, out

#include <stdlib.h>

// Where the memory of a temporary is asked for in another region, it stays, and is given back.
void allocated_in_another_region(int n, const float *restrict in, float *restrict mid, float *restrict out)
{
    float s[n + 1];
#pragma scop
    float *restrict t = malloc(sizeof(float) * (n + 1));
    for (int i = 0; i < n; i++)
        s[i] = in[i] * 2.0f;
    for (int i = 0; i < n; i++)
        mid[i] = s[i] + 1.0f;
#pragma endscop
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = mid[i] * 0.5f;
    for (int i = 0; i < n; i++)
        out[i] = t[i] + in[i];
    free(t);
#pragma endscop
}
