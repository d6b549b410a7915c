/* Sweeps over grids in steps of time. */
#include "suite.h"

static void init_square(int n, DATA_TYPE SUITE_2D(a, N, N, n, n));
static void dump_square(const char *name, int n, DATA_TYPE SUITE_2D(a, N, N, n, n));
static void dump_vector(const char *name, int n, DATA_TYPE SUITE_1D(x, N, n));

/* Rows and columns in turn, each by a tridiagonal system. */
static void kernel_directions(int steps, int n, DATA_TYPE SUITE_2D(u, N, N, n, n), DATA_TYPE SUITE_2D(v, N, N, n, n),
                              DATA_TYPE SUITE_2D(p, N, N, n, n), DATA_TYPE SUITE_2D(q, N, N, n, n))
{
    int t, i, j;
    DATA_TYPE dx, dy, dt, b1, b2, mul1, mul2, a, b, c, d, e, f;

#pragma scop
    dx = SCALAR_VAL(1.0) / (DATA_TYPE)_SB_N;
    dy = SCALAR_VAL(1.0) / (DATA_TYPE)_SB_N;
    dt = SCALAR_VAL(1.0) / (DATA_TYPE)_SB_STEPS;
    b1 = SCALAR_VAL(2.0);
    b2 = SCALAR_VAL(1.0);
    mul1 = b1 * dt / (dx * dx);
    mul2 = b2 * dt / (dy * dy);
    a = -mul1 / SCALAR_VAL(2.0);
    b = SCALAR_VAL(1.0) + mul1;
    c = a;
    d = -mul2 / SCALAR_VAL(2.0);
    e = SCALAR_VAL(1.0) + mul2;
    f = d;

    for (t = 1; t <= _SB_STEPS; t++) {
        for (i = 1; i < _SB_N - 1; i++) {
            v[0][i] = SCALAR_VAL(1.0);
            p[i][0] = SCALAR_VAL(0.0);
            q[i][0] = v[0][i];
            for (j = 1; j < _SB_N - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + (SCALAR_VAL(1.0) + SCALAR_VAL(2.0) * d) * u[j][i] - f * u[j][i + 1]
                           - a * q[i][j - 1])
                          / (a * p[i][j - 1] + b);
            }
            v[_SB_N - 1][i] = SCALAR_VAL(1.0);
            for (j = _SB_N - 2; j >= 1; j--) {
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
            }
        }
        for (i = 1; i < _SB_N - 1; i++) {
            u[i][0] = SCALAR_VAL(1.0);
            p[i][0] = SCALAR_VAL(0.0);
            q[i][0] = u[i][0];
            for (j = 1; j < _SB_N - 1; j++) {
                p[i][j] = -f / (d * p[i][j - 1] + e);
                q[i][j] = (-a * v[i - 1][j] + (SCALAR_VAL(1.0) + SCALAR_VAL(2.0) * a) * v[i][j] - c * v[i + 1][j]
                           - d * q[i][j - 1])
                          / (d * p[i][j - 1] + e);
            }
            u[i][_SB_N - 1] = SCALAR_VAL(1.0);
            for (j = _SB_N - 2; j >= 1; j--) {
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
            }
        }
    }
#pragma endscop
}

static void kernel_fields(int steps, int n, int m, DATA_TYPE SUITE_2D(ex, N, N, n, n), DATA_TYPE SUITE_2D(ey, N, N, n, n),
                          DATA_TYPE SUITE_2D(hz, N, N, n, n), DATA_TYPE SUITE_1D(source, STEPS, steps))
{
    int t, i, j;

#pragma scop
    for (t = 0; t < _SB_STEPS; t++) {
        for (j = 0; j < _SB_N; j++)
            ey[0][j] = source[t];
        for (i = 1; i < _SB_M; i++)
            for (j = 0; j < _SB_N; j++)
                ey[i][j] = ey[i][j] - SCALAR_VAL(0.5) * (hz[i][j] - hz[i - 1][j]);
        for (i = 0; i < _SB_M; i++)
            for (j = 1; j < _SB_N; j++)
                ex[i][j] = ex[i][j] - SCALAR_VAL(0.5) * (hz[i][j] - hz[i][j - 1]);
        for (i = 0; i < _SB_M - 1; i++)
            for (j = 0; j < _SB_N - 1; j++)
                hz[i][j] = hz[i][j] - SCALAR_VAL(0.7) * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
#pragma endscop
}

#define SECOND(x, i, j, l, di, dj, dl) \
    SCALAR_VAL(0.125) * (x[i + di][j + dj][l + dl] - SCALAR_VAL(2.0) * x[i][j][l] + x[i - di][j - dj][l - dl])

static void kernel_heat_cube(int steps, int k, DATA_TYPE SUITE_3D(a, K, K, K, k, k, k),
                             DATA_TYPE SUITE_3D(b, K, K, K, k, k, k))
{
    int t, i, j, l;

#pragma scop
    for (t = 1; t <= STEPS; t++) {
        for (i = 1; i < _SB_K - 1; i++) {
            for (j = 1; j < _SB_K - 1; j++) {
                for (l = 1; l < _SB_K - 1; l++) {
                    b[i][j][l] = SCALAR_VAL(0.125) * (a[i + 1][j][l] - SCALAR_VAL(2.0) * a[i][j][l] + a[i - 1][j][l])
                                 + SCALAR_VAL(0.125) * (a[i][j + 1][l] - SCALAR_VAL(2.0) * a[i][j][l] + a[i][j - 1][l])
                                 + SCALAR_VAL(0.125) * (a[i][j][l + 1] - SCALAR_VAL(2.0) * a[i][j][l] + a[i][j][l - 1])
                                 + a[i][j][l];
                }
            }
        }
        for (i = 1; i < _SB_K - 1; i++)
            for (j = 1; j < _SB_K - 1; j++)
                for (l = 1; l < _SB_K - 1; l++)
                    a[i][j][l] = SECOND(b, i, j, l, 1, 0, 0) + SECOND(b, i, j, l, 0, 1, 0) + SECOND(b, i, j, l, 0, 0, 1)
                                 + b[i][j][l];
    }
#pragma endscop
}

static void kernel_line(int steps, int n, DATA_TYPE SUITE_1D(a, N, n), DATA_TYPE SUITE_1D(b, N, n))
{
    int t, i;

#pragma scop
    for (t = 0; t < _SB_STEPS; t++) {
        for (i = 1; i < _SB_N - 1; i++)
            b[i] = SCALAR_VAL(0.33333) * (a[i - 1] + a[i] + a[i + 1]);
        for (i = 1; i < _SB_N - 1; i++)
            a[i] = SCALAR_VAL(0.33333) * (b[i - 1] + b[i] + b[i + 1]);
    }
#pragma endscop
}

static void kernel_plane(int steps, int n, DATA_TYPE SUITE_2D(a, N, N, n, n), DATA_TYPE SUITE_2D(b, N, N, n, n))
{
    int t, i, j;

#pragma scop
    for (t = 0; t < _SB_STEPS; t++) {
        for (i = 1; i < _SB_N - 1; i++)
            for (j = 1; j < _SB_N - 1; j++)
                b[i][j] = SCALAR_VAL(0.2) * (a[i][j] + a[i][j - 1] + a[i][1 + j] + a[1 + i][j] + a[i - 1][j]);
        for (i = 1; i < _SB_N - 1; i++)
            for (j = 1; j < _SB_N - 1; j++)
                a[i][j] = SCALAR_VAL(0.2) * (b[i][j] + b[i][j - 1] + b[i][1 + j] + b[1 + i][j] + b[i - 1][j]);
    }
#pragma endscop
}

static void kernel_in_place(int steps, int n, DATA_TYPE SUITE_2D(a, N, N, n, n))
{
    int t, i, j;

#pragma scop
    for (t = 0; t <= _SB_STEPS - 1; t++)
        for (i = 1; i <= _SB_N - 2; i++)
            for (j = 1; j <= _SB_N - 2; j++)
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1]
                           + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1])
                          / SCALAR_VAL(9.0);
#pragma endscop
}

static void run_stencils(void)
{
    int n = N, m = M, k = K, steps = STEPS, i, j, l;
    SUITE_2D_DECL(a, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(b, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(c, DATA_TYPE, N, N, n, n);
    SUITE_2D_DECL(d, DATA_TYPE, N, N, n, n);
    SUITE_3D_DECL(one, DATA_TYPE, K, K, K, k, k, k);
    SUITE_3D_DECL(two, DATA_TYPE, K, K, K, k, k, k);
    SUITE_1D_DECL(source, DATA_TYPE, STEPS, steps);

    init_square(n, SUITE_ARRAY(a));
    init_square(n, SUITE_ARRAY(b));
    init_square(n, SUITE_ARRAY(c));
    init_square(n, SUITE_ARRAY(d));
    for (i = 0; i < steps; i++)
        (SUITE_ARRAY(source))[i] = (DATA_TYPE)i;
    for (i = 0; i < k; i++)
        for (j = 0; j < k; j++)
            for (l = 0; l < k; l++)
                (SUITE_ARRAY(one))[i][j][l] = (SUITE_ARRAY(two))[i][j][l] = (DATA_TYPE)(i + j + (k - l)) * 10 / k;
    kernel_directions(steps, n, SUITE_ARRAY(a), SUITE_ARRAY(b), SUITE_ARRAY(c), SUITE_ARRAY(d));
    dump_square("directions", n, SUITE_ARRAY(a));
    kernel_fields(steps, n, m, SUITE_ARRAY(a), SUITE_ARRAY(b), SUITE_ARRAY(c), SUITE_ARRAY(source));
    dump_square("fields", n, SUITE_ARRAY(c));
    kernel_heat_cube(steps, k, SUITE_ARRAY(one), SUITE_ARRAY(two));
    DUMP_START("heat_cube");
    for (i = 0; i < k; i++)
        for (j = 0; j < k; j++)
            for (l = 0; l < k; l++)
                DUMP_VALUE((SUITE_ARRAY(one))[i][j][l]);
    DUMP_FINISH();
    kernel_line(steps, n, (SUITE_ARRAY(a))[1], (SUITE_ARRAY(a))[2]);
    dump_vector("line", n, (SUITE_ARRAY(a))[1]);
    kernel_plane(steps, n, SUITE_ARRAY(a), SUITE_ARRAY(b));
    dump_square("plane", n, SUITE_ARRAY(a));
    kernel_in_place(steps, n, SUITE_ARRAY(a));
    dump_square("in_place", n, SUITE_ARRAY(a));

    SUITE_FREE_ARRAY(a);
    SUITE_FREE_ARRAY(b);
    SUITE_FREE_ARRAY(c);
    SUITE_FREE_ARRAY(d);
    SUITE_FREE_ARRAY(one);
    SUITE_FREE_ARRAY(two);
    SUITE_FREE_ARRAY(source);
}
