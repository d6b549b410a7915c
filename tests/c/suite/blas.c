/* Products and updates of matrices and vectors. */
#include "suite.h"

static void init_square(int n, DATA_TYPE SUITE_2D(a, N, N, n, n))
{
    int i, j;

    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            a[i][j] = (DATA_TYPE)((i * (j + 1) + 1) % n) / n;
}

static void init_vector(int n, int salt, DATA_TYPE SUITE_1D(x, N, n))
{
    int i;

    for (i = 0; i < n; i++)
        x[i] = ((i * salt) % n) / (DATA_TYPE)(2 * n);
}

/* c = alpha a b + beta c */
static void kernel_product(int n, int m, int k, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE SUITE_2D(c, N, N, n, n),
                           DATA_TYPE SUITE_2D(a, N, N, n, n), DATA_TYPE SUITE_2D(b, N, N, n, n))
{
    int i, j, l;

#pragma scop
    for (i = 0; i < _SB_N; i++) {
        for (j = 0; j < _SB_M; j++)
            c[i][j] *= beta;
        for (l = 0; l < _SB_K; l++) {
            for (j = 0; j < _SB_M; j++)
                c[i][j] += alpha * a[i][l] * b[l][j];
        }
    }
#pragma endscop
}

/* a += u1 v1' + u2 v2'; x = beta a' y + z; w = alpha a x */
static void kernel_rank_two(int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE SUITE_2D(a, N, N, n, n),
                            DATA_TYPE SUITE_1D(u1, N, n), DATA_TYPE SUITE_1D(v1, N, n), DATA_TYPE SUITE_1D(u2, N, n),
                            DATA_TYPE SUITE_1D(v2, N, n), DATA_TYPE SUITE_1D(w, N, n), DATA_TYPE SUITE_1D(x, N, n),
                            DATA_TYPE SUITE_1D(y, N, n), DATA_TYPE SUITE_1D(z, N, n))
{
    int i, j;

#pragma scop
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_N; j++)
            a[i][j] = a[i][j] + u1[i] * v1[j] + u2[i] * v2[j];

    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_N; j++)
            x[i] = x[i] + beta * a[j][i] * y[j];

    for (i = 0; i < _SB_N; i++)
        x[i] = x[i] + z[i];

    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_N; j++)
            w[i] = w[i] + alpha * a[i][j] * x[j];
#pragma endscop
}

/* y = alpha a x + beta b x */
static void kernel_sum_of_products(int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE SUITE_2D(a, N, N, n, n),
                                   DATA_TYPE SUITE_2D(b, N, N, n, n), DATA_TYPE SUITE_1D(tmp, N, n),
                                   DATA_TYPE SUITE_1D(x, N, n), DATA_TYPE SUITE_1D(y, N, n))
{
    int i, j;

#pragma scop
    for (i = 0; i < _SB_N; i++) {
        tmp[i] = SCALAR_VAL(0.0);
        y[i] = SCALAR_VAL(0.0);
        for (j = 0; j < _SB_N; j++) {
            tmp[i] = a[i][j] * x[j] + tmp[i];
            y[i] = b[i][j] * x[j] + y[i];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
#pragma endscop
}

/* c = alpha a b + beta c, of a symmetric matrix a of which the lower half is stored */
static void kernel_symmetric(int n, int m, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE SUITE_2D(c, N, N, n, n),
                             DATA_TYPE SUITE_2D(a, N, N, n, n), DATA_TYPE SUITE_2D(b, N, N, n, n))
{
    int i, j, k;
    DATA_TYPE sum;

#pragma scop
    for (i = 0; i < _SB_M; i++)
        for (j = 0; j < _SB_N; j++) {
            sum = 0;
            for (k = 0; k < i; k++) {
                c[k][j] += alpha * b[i][j] * a[i][k];
                sum += b[k][j] * a[i][k];
            }
            c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * sum;
        }
#pragma endscop
}

static void kernel_rank_k(int n, int m, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE SUITE_2D(c, N, N, n, n),
                          DATA_TYPE SUITE_2D(a, N, N, n, n))
{
    int i, j, l;

#pragma scop
    for (i = 0; i < _SB_N; i++) {
        for (j = 0; j <= i; j++)
            c[i][j] *= beta;
        for (l = 0; l < _SB_M; l++) {
            for (j = 0; j <= i; j++)
                c[i][j] += alpha * a[i][l] * a[j][l];
        }
    }
#pragma endscop
}

static void kernel_rank_2k(int n, int m, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE SUITE_2D(c, N, N, n, n),
                           DATA_TYPE SUITE_2D(a, N, N, n, n), DATA_TYPE SUITE_2D(b, N, N, n, n))
{
    int i, j, l;

#pragma scop
    for (i = 0; i < _SB_N; i++) {
        for (j = 0; j <= i; j++)
            c[i][j] *= beta;
        for (l = 0; l < _SB_M; l++)
            for (j = 0; j <= i; j++) {
                c[i][j] += a[j][l] * alpha * b[i][l] + b[j][l] * alpha * a[i][l];
            }
    }
#pragma endscop
}

/* b = alpha a' b, of a triangular matrix */
static void kernel_triangular(int n, int m, DATA_TYPE alpha, DATA_TYPE SUITE_2D(a, N, N, n, n),
                              DATA_TYPE SUITE_2D(b, N, N, n, n))
{
    int i, j, k;

#pragma scop
    for (i = 0; i < _SB_M; i++)
        for (j = 0; j < _SB_N; j++) {
            for (k = i + 1; k < _SB_M; k++)
                b[i][j] += a[k][i] * b[k][j];
            b[i][j] = alpha * b[i][j];
        }
#pragma endscop
}

static void dump_square(const char *name, int n, DATA_TYPE SUITE_2D(a, N, N, n, n))
{
    int i, j;

    DUMP_START(name);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            DUMP_VALUE(a[i][j]);
    DUMP_FINISH();
}

static void dump_vector(const char *name, int n, DATA_TYPE SUITE_1D(x, N, n))
{
    int i;

    DUMP_START(name);
    for (i = 0; i < n; i++)
        DUMP_VALUE(x[i]);
    DUMP_FINISH();
}

static void run_blas(void)
{
    int n = N, m = M, k = K;
    DATA_TYPE alpha = 1.5, beta = 1.2;
    SUITE_2D_DECL(a, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(b, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(c, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(v, DATA_TYPE, 8, N, 8, n);

    init_square(n, SUITE_ARRAY(a));
    init_square(n, SUITE_ARRAY(b));
    init_square(n, SUITE_ARRAY(c));
    for (int i = 0; i < 8; i++)
        init_vector(n, i + 3, (SUITE_ARRAY(v))[i]);
    kernel_product(n, m, k, alpha, beta, SUITE_ARRAY(c), SUITE_ARRAY(a), SUITE_ARRAY(b));
    SUITE_PREVENT_DCE(dump_square("product", n, SUITE_ARRAY(c)));
    kernel_rank_two(n, alpha, beta, SUITE_ARRAY(a), (SUITE_ARRAY(v))[0], (SUITE_ARRAY(v))[1], (SUITE_ARRAY(v))[2],
                    (SUITE_ARRAY(v))[3], (SUITE_ARRAY(v))[4], (SUITE_ARRAY(v))[5], (SUITE_ARRAY(v))[6],
                    (SUITE_ARRAY(v))[7]);
    SUITE_PREVENT_DCE(dump_vector("rank_two", n, (SUITE_ARRAY(v))[4]));
    kernel_sum_of_products(n, alpha, beta, SUITE_ARRAY(a), SUITE_ARRAY(b), (SUITE_ARRAY(v))[0], (SUITE_ARRAY(v))[1],
                           (SUITE_ARRAY(v))[2]);
    SUITE_PREVENT_DCE(dump_vector("sum_of_products", n, (SUITE_ARRAY(v))[2]));
    kernel_symmetric(n, m, alpha, beta, SUITE_ARRAY(c), SUITE_ARRAY(a), SUITE_ARRAY(b));
    SUITE_PREVENT_DCE(dump_square("symmetric", n, SUITE_ARRAY(c)));
    kernel_rank_k(n, m, alpha, beta, SUITE_ARRAY(c), SUITE_ARRAY(a));
    SUITE_PREVENT_DCE(dump_square("rank_k", n, SUITE_ARRAY(c)));
    kernel_rank_2k(n, m, alpha, beta, SUITE_ARRAY(c), SUITE_ARRAY(a), SUITE_ARRAY(b));
    SUITE_PREVENT_DCE(dump_square("rank_2k", n, SUITE_ARRAY(c)));
    kernel_triangular(n, m, alpha, SUITE_ARRAY(a), SUITE_ARRAY(b));
    SUITE_PREVENT_DCE(dump_square("triangular", n, SUITE_ARRAY(b)));

    SUITE_FREE_ARRAY(a);
    SUITE_FREE_ARRAY(b);
    SUITE_FREE_ARRAY(c);
    SUITE_FREE_ARRAY(v);
}
