// function: discounted_returns
// sizes: n=66
// sizes: n=1
// sizes: n=2
// arrays: reward=n, value=n, advantage=n
// output: advantage
// temporaries: bonus=scalar, future=scalar
// loops: 3 -> 1

#include <stdlib.h>

// Rewards are summed up from the end; what comes before and after goes the other way round and follows.
void discounted_returns(int n, float gamma, const float *restrict reward, const float *restrict value,
                        float *restrict advantage)
{
    float *restrict bonus = malloc(n * sizeof(float));
    float *restrict future = malloc(n * sizeof(float));
#pragma scop
    for (int i = 0; i < n; i++)
        bonus[i] = reward[i] * reward[i] + reward[i];

    float carried = 0.0f;
    for (int i = n - 1; i >= 0; --i) {
        carried = bonus[i] + gamma * carried;
        future[i] = carried;
    }

    for (int i = 0; i < n; i++)
        advantage[i] = future[i] - value[i];
#pragma endscop
    free(bonus);
    free(future);
}
