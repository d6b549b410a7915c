// expect: left as it was: `log_value` is not defined here, and printing must keep its order

#include <stdio.h>

void log_value(FILE *file, float value);

void unknown_function(int n, FILE *file, const float *restrict a, float *restrict b)
{
    float t[n];
#pragma scop
    for (int i = 0; i < n; i++) {
        t[i] = a[i] * 0.5f;
        log_value(file, t[i]);
    }
    for (int i = 0; i < n; i++) {
        b[i] = t[i] + 1.0f;
        fprintf(file, "%d %f\n", i, b[i]);
    }
#pragma endscop
}
