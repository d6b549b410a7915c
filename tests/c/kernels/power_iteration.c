// function: power_iteration
// sizes: n=22
// sizes: n=1
// sizes: n=4
// arrays: a=n*n, x=n, y=n
// output: y
// temporaries: product=kept, square=scalar
// loops: 4 -> 2

#include <math.h>

// One step of the power method: the length of the product is needed before anything can be divided by it.
void power_iteration(int n, const double a[restrict n][n], const double x[restrict n], double y[restrict n])
{
    double product[n], square[n];
    double length, inverse;
#pragma scop
    for (int i = 0; i < n; i++) {
        product[i] = 0.0;
        for (int j = 0; j < n; j++)
            product[i] += a[i][j] * x[j];
    }
    for (int i = 0; i < n; i++)
        square[i] = product[i] * product[i];
    length = 1e-9;
    for (int i = 0; i < n; i++)
        length += square[i];
    inverse = 1.0 / sqrt(length);
    for (int i = 0; i < n; i++)
        y[i] = product[i] * inverse;
#pragma endscop
}
