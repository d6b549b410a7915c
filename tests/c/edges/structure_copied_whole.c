// function: structure_copied_whole
// sizes: n=8
// sizes: n=1
// sizes: n=0
// arrays: in=n, out=n
// output: out

struct whole { float part[8]; int count; };

// The copy of a structure reads the array in it, so no loop over the array passes the copy.
void structure_copied_whole(int n, const float *restrict in, float *restrict out)
{
    struct whole one, other;
    float t[8];
    for (int i = 0; i < 8; i++)
        one.part[i] = 0.0f;
    one.count = n;
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = in[i] + 1.0f;
    for (int i = 0; i < n; i++)
        one.part[i] = t[i] * 2.0f;
    other = one;
    for (int i = 0; i < n; i++)
        one.part[i] = one.part[i] + t[i];
    for (int i = 0; i < n; i++)
        out[i] = one.part[i] * other.part[i];
#pragma endscop
}
