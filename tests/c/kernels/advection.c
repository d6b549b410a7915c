// function: advection
// sizes: n=95
// sizes: n=4
// sizes: n=2
// sizes: n=1
// arrays: u=n, next=n
// output: next
// temporaries: slope=window 2, limited=scalar, flux=window 2
// loops: 4 -> 1

#include <math.h>

// Transport to the right with a limiter of slopes (minmod).
void advection(int n, double courant, const double *restrict u, double *restrict next)
{
    double slope[n], limited[n], flux[n];
#pragma scop
    for (int i = 0; i < n - 1; i++)
        slope[i] = u[i + 1] - u[i];

    for (int i = 1; i < n - 1; i++) {
        if (slope[i - 1] * slope[i] <= 0.0)
            limited[i] = 0.0;
        else if (fabs(slope[i - 1]) < fabs(slope[i]))
            limited[i] = slope[i - 1];
        else
            limited[i] = slope[i];
    }
    for (int i = 1; i < n - 1; i++)
        flux[i] = courant * (u[i] + 0.5 * (1.0 - courant) * limited[i]);

    for (int i = 2; i < n - 1; i++)
        next[i] = u[i] - (flux[i] - flux[i - 1]);
#pragma endscop
}
