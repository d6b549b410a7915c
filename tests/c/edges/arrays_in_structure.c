// function: arrays_in_structure
// sizes: n=8
// sizes: n=1
// sizes: n=0
// arrays: in=n, out=n
// output: out

struct stage { float soft[8], sharp[8], gain; };

// Arrays in the structure that a pointer points to are arrays of their own.
void arrays_in_structure(int n, const float *restrict in, float *restrict out)
{
    struct stage own, *stage = &own;
    float t[8];
    stage->gain = 0.5f;
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = in[i] * stage->gain;
    for (int i = 0; i < n; i++)
        stage->soft[i] = t[i] + 1.0f;
    for (int i = 1; i < n; i++)
        stage->sharp[i] = stage->soft[i] - stage->soft[i - 1];
    for (int i = 0; i < n; i++)
        out[i] = i > 0 ? stage->sharp[i] : stage->soft[i];
#pragma endscop
    for (int i = 0; i < n; i++)
        out[i] += own.soft[i];
}
