/* Decompositions and solvers. */
#include "suite.h"

static void dump_square(const char *name, int n, DATA_TYPE SUITE_2D(a, N, N, n, n));
static void dump_vector(const char *name, int n, DATA_TYPE SUITE_1D(x, N, n));

/* A matrix whose diagonal outweighs the rest; symmetric. */
static void init_dominant(int n, DATA_TYPE SUITE_2D(a, N, N, n, n), DATA_TYPE SUITE_1D(b, N, n))
{
    int i, j;
    DATA_TYPE fn = (DATA_TYPE)n;

    for (i = 0; i < n; i++)
        b[i] = (i + 1) / fn / SCALAR_VAL(2.0) + 4;
    for (i = 0; i < n; i++) {
        for (j = 0; j <= i; j++)
            a[i][j] = (DATA_TYPE)(-j % n) / n + 1;
        for (j = i + 1; j < n; j++)
            a[i][j] = 0;
        a[i][i] = n + 1;
    }
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            a[i][j] = a[j][i];
}

static void kernel_cholesky_rows(int n, DATA_TYPE SUITE_2D(a, N, N, n, n))
{
    int i, j, k;

#pragma scop
    for (i = 0; i < _SB_N; i++) {
        for (j = 0; j < i; j++) {
            for (k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
        for (k = 0; k < i; k++)
            a[i][i] -= a[i][k] * a[i][k];
        a[i][i] = SQRT_FUN(a[i][i]);
    }
#pragma endscop
}

/* The recursion of Levinson and Durbin; `z` is of the region alone. */
static void kernel_recursion(int n, DATA_TYPE SUITE_1D(r, N, n), DATA_TYPE SUITE_1D(y, N, n))
{
    DATA_TYPE z[N];
    DATA_TYPE alpha, beta, sum;
    int i, k;

#pragma scop
    y[0] = -r[0];
    beta = SCALAR_VAL(1.0);
    alpha = -r[0];
    for (k = 1; k < _SB_N; k++) {
        beta = (1 - alpha * alpha) * beta;
        sum = SCALAR_VAL(0.0);
        for (i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
#pragma endscop
}

static void kernel_orthogonal(int m, int n, DATA_TYPE SUITE_2D(a, N, N, n, n), DATA_TYPE SUITE_2D(r, N, N, n, n),
                              DATA_TYPE SUITE_2D(q, N, N, n, n))
{
    int i, j, k;
    DATA_TYPE norm;

#pragma scop
    for (k = 0; k < _SB_M; k++) {
        norm = SCALAR_VAL(0.0);
        for (i = 0; i < _SB_N; i++)
            norm += a[i][k] * a[i][k];
        r[k][k] = SQRT_FUN(norm);
        for (i = 0; i < _SB_N; i++)
            q[i][k] = a[i][k] / r[k][k];
        for (j = k + 1; j < _SB_M; j++) {
            r[k][j] = SCALAR_VAL(0.0);
            for (i = 0; i < _SB_N; i++)
                r[k][j] += q[i][k] * a[i][j];
            for (i = 0; i < _SB_N; i++)
                a[i][j] = a[i][j] - q[i][k] * r[k][j];
        }
    }
#pragma endscop
}

static void kernel_factors(int n, DATA_TYPE SUITE_2D(a, N, N, n, n))
{
    int i, j, k;

#pragma scop
    for (i = 0; i < _SB_N; i++) {
        for (j = 0; j < i; j++) {
            for (k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
            a[i][j] /= a[j][j];
        }
        for (j = i; j < _SB_N; j++) {
            for (k = 0; k < i; k++) {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
#pragma endscop
}

/* Factors by a scalar that holds an element, then both substitutions, the second one downwards. */
static void kernel_solve(int n, DATA_TYPE SUITE_2D(a, N, N, n, n), DATA_TYPE SUITE_1D(b, N, n),
                         DATA_TYPE SUITE_1D(x, N, n), DATA_TYPE SUITE_1D(y, N, n))
{
    int i, j, k;
    DATA_TYPE w;

#pragma scop
    for (i = 0; i < _SB_N; i++) {
        for (j = 0; j < i; j++) {
            w = a[i][j];
            for (k = 0; k < j; k++) {
                w -= a[i][k] * a[k][j];
            }
            a[i][j] = w / a[j][j];
        }
        for (j = i; j < _SB_N; j++) {
            w = a[i][j];
            for (k = 0; k < i; k++) {
                w -= a[i][k] * a[k][j];
            }
            a[i][j] = w;
        }
    }
    for (i = 0; i < _SB_N; i++) {
        w = b[i];
        for (j = 0; j < i; j++)
            w -= a[i][j] * y[j];
        y[i] = w;
    }
    for (i = _SB_N - 1; i >= 0; i--) {
        w = y[i];
        for (j = i + 1; j < _SB_N; j++)
            w -= a[i][j] * x[j];
        x[i] = w / a[i][i];
    }
#pragma endscop
}

static void kernel_forward(int n, DATA_TYPE SUITE_2D(l, N, N, n, n), DATA_TYPE SUITE_1D(x, N, n),
                           DATA_TYPE SUITE_1D(b, N, n))
{
    int i, j;

#pragma scop
    for (i = 0; i < _SB_N; i++) {
        x[i] = b[i];
        for (j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] = x[i] / l[i][i];
    }
#pragma endscop
}

static void run_solvers(void)
{
    int n = N, m = M;
    SUITE_2D_DECL(a, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(q, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(r, DATA_TYPE, N, N, n, n);
    SUITE_1D_DECL(b, DATA_TYPE, N, n);
    SUITE_1D_DECL(x, DATA_TYPE, N, n);
    SUITE_1D_DECL(y, DATA_TYPE, N, n);

    init_dominant(n, SUITE_ARRAY(a), SUITE_ARRAY(b));
    kernel_cholesky_rows(n, SUITE_ARRAY(a));
    dump_square("cholesky", n, SUITE_ARRAY(a));
    kernel_recursion(n, SUITE_ARRAY(b), SUITE_ARRAY(y));
    dump_vector("recursion", n, SUITE_ARRAY(y));
    init_dominant(n, SUITE_ARRAY(a), SUITE_ARRAY(b));
    init_dominant(n, SUITE_ARRAY(r), SUITE_ARRAY(x));
    init_dominant(n, SUITE_ARRAY(q), SUITE_ARRAY(y));
    kernel_orthogonal(m, n, SUITE_ARRAY(a), SUITE_ARRAY(r), SUITE_ARRAY(q));
    dump_square("orthogonal", n, SUITE_ARRAY(q));
    dump_square("orthogonal", n, SUITE_ARRAY(r));
    kernel_factors(n, SUITE_ARRAY(r));
    dump_square("factors", n, SUITE_ARRAY(r));
    init_dominant(n, SUITE_ARRAY(a), SUITE_ARRAY(b));
    kernel_solve(n, SUITE_ARRAY(a), SUITE_ARRAY(b), SUITE_ARRAY(x), SUITE_ARRAY(y));
    dump_vector("solve", n, SUITE_ARRAY(x));
    kernel_forward(n, SUITE_ARRAY(a), SUITE_ARRAY(x), SUITE_ARRAY(b));
    dump_vector("forward", n, SUITE_ARRAY(x));

    SUITE_FREE_ARRAY(a);
    SUITE_FREE_ARRAY(q);
    SUITE_FREE_ARRAY(r);
    SUITE_FREE_ARRAY(b);
    SUITE_FREE_ARRAY(x);
    SUITE_FREE_ARRAY(y);
}
