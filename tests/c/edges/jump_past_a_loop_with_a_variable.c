// function: jump_past_a_loop_with_a_variable
// sizes: n=9
// sizes: n=1
// sizes: n=0
// arrays: in=n+4, out=n
// output: out

#include <stdlib.h>

// Where control leaves the region, variables of a later loop's body are not there.
void jump_past_a_loop_with_a_variable(int n, const float *restrict in, float *restrict out)
{
    static float t[16], s[16];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = in[i] * 0.5f;
    float *restrict u = malloc(sizeof(float) * (n + 1));
    if (u == NULL)
        goto fail;
    for (int i = 0; i < n; i++)
        u[i] = t[i] + 1.0f;
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < 3; k++)
            sum += u[i] * in[i + k];
        s[i] = sum;
    }
    for (int i = 0; i < n; i++)
        out[i] = s[i] - t[i];
    free(u);
#pragma endscop
fail:
    return;
}
