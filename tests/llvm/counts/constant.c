// Constant trip counts, equal and not.
// fuse: equal 1, first_longer_by_one 1, first_longer_by_two 1, first_longer_by_three 1, second_longer 1, much_longer 1
// run: equal runs=40
// run: first_longer_by_one runs=40
// run: first_longer_by_two runs=40
// run: first_longer_by_three runs=40
// run: second_longer runs=40
// run: much_longer runs=40

double A[80], B[80], C[80];

void equal(void)
{
    for (int i = 0; i < 64; i++)
        A[i] = B[i] * 2.0;
    for (int i = 0; i < 64; i++)
        C[i] = A[i] + B[i];
}

void first_longer_by_one(void)
{
    for (int i = 0; i < 65; i++)
        A[i] = B[i] * 2.0;
    for (int i = 0; i < 64; i++)
        C[i] = A[i] + B[i];
}

void first_longer_by_two(void)
{
    for (int i = 0; i < 72; i++)
        A[i] = B[i] * 2.0;
    for (int i = 0; i < 70; i++)
        C[i] = A[i] + B[i];
}

void first_longer_by_three(void)
{
    for (int i = 0; i < 76; i++)
        A[i] = B[i] * 2.0;
    for (int i = 0; i < 73; i++)
        C[i] = A[i] + B[i];
}

void second_longer(void)
{
    for (int i = 0; i < 64; i++)
        A[i] = B[i] * 2.0;
    for (int i = 0; i < 66; i++)
        C[i] = A[i] + B[i];
}

void much_longer(void)
{
    for (int i = 0; i < 80; i++)
        A[i] = B[i] * 2.0;
    for (int i = 0; i < 50; i++)
        C[i] = A[i] + B[i];
}
