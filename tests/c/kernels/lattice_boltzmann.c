// function: lattice_boltzmann
// sizes: n=61
// sizes: n=3
// sizes: n=2
// arrays: rest=n, right=n, left=n
// output: rest, right, left
// temporaries: rho=scalar, u=scalar, new_right=window 2, new_left=scalar
// loops: 6 -> 1

// A one-dimensional lattice Boltzmann step with three speeds: moments, collision, and streaming to both neighbours.
void lattice_boltzmann(int n, double omega, double *restrict rest, double *restrict right, double *restrict left)
{
    double rho[n], u[n], new_right[n], new_left[n];
#pragma scop
    for (int i = 0; i < n; i++)
        rho[i] = rest[i] + right[i] + left[i] + 4.0;
    for (int i = 0; i < n; i++)
        u[i] = (right[i] - left[i]) / rho[i];

    for (int i = 0; i < n; i++)
        new_right[i] = right[i] + omega * (rho[i] * (1.0 / 6.0 + 0.5 * u[i] + 0.5 * u[i] * u[i]) - right[i]);
    for (int i = 0; i < n; i++)
        new_left[i] = left[i] + omega * (rho[i] * (1.0 / 6.0 - 0.5 * u[i] + 0.5 * u[i] * u[i]) - left[i]);
    for (int i = 0; i < n; i++)
        rest[i] += omega * (rho[i] * (2.0 / 3.0 - u[i] * u[i]) - rest[i]);

    for (int i = 1; i < n - 1; i++) {
        right[i] = new_right[i - 1];
        left[i] = new_left[i + 1];
    }
#pragma endscop
}
