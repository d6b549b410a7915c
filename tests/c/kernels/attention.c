// function: attention
// sizes: n=14, m=11, d=8
// sizes: n=1, m=1, d=1
// sizes: n=3, m=2, d=5
// arrays: q=n*d, k=m*d, v=m*d, out=n*d
// output: out
// temporaries: score=window m, largest=scalar, power=window m, total=scalar, weight=scalar
// loops: 8 -> 1

#include <math.h>

// Attention without batches: the weights of a row are a softmax, so a row is passed over three times, but rows are independent.
void attention(int n, int m, int d, const float q[restrict n][d], const float k[restrict m][d],
               const float v[restrict m][d], float out[restrict n][d])
{
    float score[n][m], largest[n], power[n][m], total[n], weight[n][m];
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0.0f;
            for (int c = 0; c < d; c++)
                sum += q[i][c] * k[j][c];
            score[i][j] = sum;
        }
    for (int i = 0; i < n; i++) {
        largest[i] = score[i][0];
        for (int j = 1; j < m; j++)
            largest[i] = fmaxf(largest[i], score[i][j]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            power[i][j] = expf(score[i][j] - largest[i]);
    for (int i = 0; i < n; i++)
        total[i] = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            total[i] += power[i][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            weight[i][j] = power[i][j] / total[i];

    for (int i = 0; i < n; i++)
        for (int c = 0; c < d; c++)
            out[i][c] = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int c = 0; c < d; c++)
                out[i][c] += weight[i][j] * v[j][c];
#pragma endscop
}
