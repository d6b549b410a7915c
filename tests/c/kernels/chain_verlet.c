// function: chain_verlet
// sizes: n=48
// sizes: n=2
// sizes: n=3
// arrays: x=n, v=n
// output: x, v
// temporaries: force=scalar, damped=scalar
// loops: 4 -> 1

// A chain of masses and springs, positions and velocities in place; a position is free when its right neighbour is done.
void chain_verlet(int n, float dt, float *restrict x, float *restrict v)
{
    float force[n], damped[n];
#pragma scop
    for (int i = 1; i < n - 1; i++)
        force[i] = x[i + 1] - 2.0f * x[i] + x[i - 1];
    for (int i = 1; i < n - 1; i++)
        damped[i] = force[i] - 0.1f * v[i];
    for (int i = 1; i < n - 1; i++)
        v[i] += dt * damped[i];
    for (int i = 1; i < n - 1; i++)
        x[i] += dt * v[i];
#pragma endscop
}
