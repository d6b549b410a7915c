// function: fluxes
// sizes: n=9
// arrays: u=n*9
// output: u
// temporaries: flux=window 2
// loops: 2 -> 1

// The last column of the fluxes is never read, and neither are its first and last rows.
void fluxes(int n, double (*restrict u)[9])
{
    double flux[9][9];
#pragma scop
    for (int j = 0; j < 9; j++)
        for (int l = 0; l < 8; l++)
            flux[j][l] = u[j][l + 1] - u[j][l];
    for (int j = 1; j < 8; j++)
        for (int l = 1; l < 8; l++)
            u[j][l] += flux[j][l] - flux[j][l - 1];
#pragma endscop
}
