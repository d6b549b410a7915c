/* Chains of products. They use the functions that fill and show matrices of blas.c. */
#include "suite.h"

static void init_square(int n, DATA_TYPE SUITE_2D(a, N, N, n, n));
static void dump_square(const char *name, int n, DATA_TYPE SUITE_2D(a, N, N, n, n));
static void dump_vector(const char *name, int n, DATA_TYPE SUITE_1D(x, N, n));

/* d = alpha a b c + beta d */
static void kernel_two_products_of(int n, int m, int k, DATA_TYPE alpha, DATA_TYPE beta,
                                   DATA_TYPE SUITE_2D(tmp, N, N, n, n), DATA_TYPE SUITE_2D(a, N, N, n, n),
                                   DATA_TYPE SUITE_2D(b, N, N, n, n), DATA_TYPE SUITE_2D(c, N, N, n, n),
                                   DATA_TYPE SUITE_2D(d, N, N, n, n))
{
    int i, j, l;

#pragma scop
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_M; j++) {
            tmp[i][j] = SCALAR_VAL(0.0);
            for (l = 0; l < _SB_K; ++l)
                tmp[i][j] += alpha * a[i][l] * b[l][j];
        }
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_K; j++) {
            d[i][j] *= beta;
            for (l = 0; l < _SB_M; ++l)
                d[i][j] += tmp[i][l] * c[l][j];
        }
#pragma endscop
}

/* g = (a b)(c d), with the factors on the stack */
static void kernel_three_products(int n, int m, int k, DATA_TYPE SUITE_2D(a, N, N, n, n),
                                  DATA_TYPE SUITE_2D(b, N, N, n, n), DATA_TYPE SUITE_2D(c, N, N, n, n),
                                  DATA_TYPE SUITE_2D(d, N, N, n, n), DATA_TYPE SUITE_2D(g, N, N, n, n))
{
    int i, j, l;
    DATA_TYPE SUITE_2D_F(e, N, N, n, n);
    DATA_TYPE SUITE_2D_F(f, N, N, n, n);

#pragma scop
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_M; j++) {
            e[i][j] = SCALAR_VAL(0.0);
            for (l = 0; l < _SB_K; ++l)
                e[i][j] += a[i][l] * b[l][j];
        }
    for (i = 0; i < _SB_M; i++)
        for (j = 0; j < _SB_N; j++) {
            f[i][j] = SCALAR_VAL(0.0);
            for (l = 0; l < _SB_K; ++l)
                f[i][j] += c[i][l] * d[l][j];
        }
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_N; j++) {
            g[i][j] = SCALAR_VAL(0.0);
            for (l = 0; l < _SB_M; ++l)
                g[i][j] += e[i][l] * f[l][j];
        }
#pragma endscop
}

/* y = a' (a x) */
static void kernel_normal(int m, int n, DATA_TYPE SUITE_2D(a, N, N, n, n), DATA_TYPE SUITE_1D(x, N, n),
                          DATA_TYPE SUITE_1D(y, N, n), DATA_TYPE SUITE_1D(tmp, N, n))
{
    int i, j;

#pragma scop
    for (i = 0; i < _SB_N; i++)
        y[i] = 0;
    for (i = 0; i < _SB_M; i++) {
        tmp[i] = SCALAR_VAL(0.0);
        for (j = 0; j < _SB_N; j++)
            tmp[i] = tmp[i] + a[i][j] * x[j];
        for (j = 0; j < _SB_N; j++)
            y[j] = y[j] + a[i][j] * tmp[i];
    }
#pragma endscop
}

/* s = a' r and q = a p */
static void kernel_both_sides(int m, int n, DATA_TYPE SUITE_2D(a, N, N, n, n), DATA_TYPE SUITE_1D(s, N, n),
                              DATA_TYPE SUITE_1D(q, N, n), DATA_TYPE SUITE_1D(p, N, n), DATA_TYPE SUITE_1D(r, N, n))
{
    int i, j;

#pragma scop
    for (i = 0; i < _SB_M; i++)
        s[i] = 0;
    for (i = 0; i < _SB_N; i++) {
        q[i] = SCALAR_VAL(0.0);
        for (j = 0; j < _SB_M; j++) {
            s[j] = s[j] + r[i] * a[i][j];
            q[i] = q[i] + a[i][j] * p[j];
        }
    }
#pragma endscop
}

/* Every row of a cube times a matrix, in place. */
static void kernel_rows_times(int n, int m, int k, DATA_TYPE SUITE_3D(a, K, M, M, k, m, m),
                              DATA_TYPE SUITE_2D(c4, M, M, m, m), DATA_TYPE SUITE_1D(sum, M, m))
{
    int r, q, p, s;

#pragma scop
    for (r = 0; r < _SB_K; r++)
        for (q = 0; q < _SB_M; q++) {
            for (p = 0; p < _SB_M; p++) {
                sum[p] = SCALAR_VAL(0.0);
                for (s = 0; s < _SB_M; s++)
                    sum[p] += a[r][q][s] * c4[s][p];
            }
            for (p = 0; p < _SB_M; p++)
                a[r][q][p] = sum[p];
        }
#pragma endscop
}

/* x1 += a y1 and x2 += a' y2 */
static void kernel_and_transposed(int n, DATA_TYPE SUITE_1D(x1, N, n), DATA_TYPE SUITE_1D(x2, N, n),
                                  DATA_TYPE SUITE_1D(y1, N, n), DATA_TYPE SUITE_1D(y2, N, n),
                                  DATA_TYPE SUITE_2D(a, N, N, n, n))
{
    int i, j;

#pragma scop
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_N; j++)
            x1[i] = x1[i] + a[i][j] * y1[j];
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_N; j++)
            x2[i] = x2[i] + a[j][i] * y2[j];
#pragma endscop
}

static void run_linear(void)
{
    int n = N, m = M, k = K, i, j, l;
    DATA_TYPE alpha = 1.5, beta = 1.2;
    SUITE_2D_DECL(a, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(b, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(c, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(d, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(t, DATA_TYPE, N, N, n, n);
    SUITE_3D_DECL(cube, DATA_TYPE, K, M, M, k, m, m);
    SUITE_2D_DECL(small, DATA_TYPE, M, M, m, m);

    init_square(n, SUITE_ARRAY(a));
    init_square(n, SUITE_ARRAY(b));
    init_square(n, SUITE_ARRAY(c));
    init_square(n, SUITE_ARRAY(d));
    init_square(n, SUITE_ARRAY(t));
    for (i = 0; i < k; i++)
        for (j = 0; j < m; j++)
            for (l = 0; l < m; l++)
                (SUITE_ARRAY(cube))[i][j][l] = (DATA_TYPE)((i * j + l) % m) / m;
    for (i = 0; i < m; i++)
        for (j = 0; j < m; j++)
            (SUITE_ARRAY(small))[i][j] = (DATA_TYPE)(i * j % m) / m;
    kernel_two_products_of(n, m, k, alpha, beta, SUITE_ARRAY(t), SUITE_ARRAY(a), SUITE_ARRAY(b), SUITE_ARRAY(c),
                           SUITE_ARRAY(d));
    dump_square("two_products", n, SUITE_ARRAY(d));
    kernel_three_products(n, m, k, SUITE_ARRAY(a), SUITE_ARRAY(b), SUITE_ARRAY(c), SUITE_ARRAY(d), SUITE_ARRAY(t));
    dump_square("three_products", n, SUITE_ARRAY(t));
    kernel_normal(m, n, SUITE_ARRAY(a), (SUITE_ARRAY(b))[0], (SUITE_ARRAY(b))[1], (SUITE_ARRAY(b))[2]);
    dump_vector("normal", n, (SUITE_ARRAY(b))[1]);
    kernel_both_sides(m, n, SUITE_ARRAY(a), (SUITE_ARRAY(b))[3], (SUITE_ARRAY(b))[4], (SUITE_ARRAY(b))[5],
                      (SUITE_ARRAY(b))[6]);
    dump_vector("both_sides", n, (SUITE_ARRAY(b))[3]);
    dump_vector("both_sides", n, (SUITE_ARRAY(b))[4]);
    kernel_rows_times(n, m, k, SUITE_ARRAY(cube), SUITE_ARRAY(small), (SUITE_ARRAY(b))[7]);
    DUMP_START("rows_times");
    for (i = 0; i < k; i++)
        for (j = 0; j < m; j++)
            for (l = 0; l < m; l++)
                DUMP_VALUE((SUITE_ARRAY(cube))[i][j][l]);
    DUMP_FINISH();
    kernel_and_transposed(n, (SUITE_ARRAY(b))[8], (SUITE_ARRAY(b))[9], (SUITE_ARRAY(b))[10], (SUITE_ARRAY(b))[11],
                          SUITE_ARRAY(a));
    dump_square("and_transposed", n, SUITE_ARRAY(b));

    SUITE_FREE_ARRAY(a);
    SUITE_FREE_ARRAY(b);
    SUITE_FREE_ARRAY(c);
    SUITE_FREE_ARRAY(d);
    SUITE_FREE_ARRAY(t);
    SUITE_FREE_ARRAY(cube);
    SUITE_FREE_ARRAY(small);
}
