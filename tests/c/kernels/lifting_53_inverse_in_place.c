// function: lifting_53_inverse
// sizes: n=40
// sizes: n=1
// sizes: n=3
// arrays: x=2*n+1
// output: x
// temporaries: none
// loops: 2 -> 1

// Undoes the 5/3 lifting steps where the samples are: even ones first, then the odd ones from their new neighbours.
void lifting_53_inverse(int n, int *x)
{
#pragma scop
    x[0] -= (2 * x[1] + 2) >> 2;
    for (int i = 1; i < n; i++)
        x[2 * i] -= (x[2 * i - 1] + x[2 * i + 1] + 2) >> 2;
    x[2 * n] -= (2 * x[2 * n - 1] + 2) >> 2;

    for (int i = 0; i < n; i++)
        x[2 * i + 1] += (x[2 * i] + x[2 * i + 2]) >> 1;
#pragma endscop
}
