// Accesses of different widths to the same bytes: what counts is the last byte of the one and the first of the other.
// fuse: wide_store_second 1, wide_store_first 1, wide_load_second 1, wide_load_first 1, block_of_three 0, block_behind 1, rows 2
// refuse: block_of_three backward-dependence
// run: wide_store_second a=i8[n+1] b=i8[n] n=0..40
// run: wide_store_first a=i8[n+3] b=i8[n] n=0..40
// run: wide_load_second a=i8[n+3] b=i32[n] n=0..40
// run: wide_load_first a=i8[n+3] b=i32[n] n=0..40
// run: block_of_three a=f64[n+3] b=f64[3] n=0..40
// run: block_behind a=f64[n+3] b=f64[n+3] n=0..40
// run: rows a=i8[n*m] b=i32[n*m] n=0..8 m=0..9

void wide_store_second(unsigned char *restrict a, unsigned char *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1;
    for (int i = 0; i < n; i++) {
        unsigned short two = 0x0505;
        __builtin_memcpy(a + i, &two, 2);
    }
}

void wide_store_first(unsigned char *restrict a, unsigned char *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned four = 0x04030201u * i;
        __builtin_memcpy(a + i, &four, 4);
    }
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1;
}

void wide_load_second(unsigned char *restrict a, unsigned *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = i * 7;
    for (int i = 0; i < n; i++) {
        unsigned four;
        __builtin_memcpy(&four, a + i, 4);
        b[i] = four;
    }
}

void wide_load_first(unsigned char *restrict a, unsigned *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned four;
        __builtin_memcpy(&four, a + i, 4);
        b[i] = four;
    }
    for (int i = 0; i < n; i++)
        a[i] = i * 7;
}

// Every iteration of the first loop writes what some of the second's do.
void block_of_three(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        __builtin_memcpy(a, b, 3 * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i + 2] = 2.0;
}

void block_behind(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        __builtin_memcpy(a + i, b + i, 3 * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] += 2.0;
}

void rows(unsigned char *restrict a, unsigned *restrict b, long n, long m)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            a[i * m + j] = i + j;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m - 3; j++) {
            unsigned four;
            __builtin_memcpy(&four, a + i * m + j, 4);
            b[i * m + j] = four;
        }
}
