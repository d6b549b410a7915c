/* A recursive filter, shortest paths, and the folding of a sequence. */
#include "suite.h"

typedef char base;

#define match(b1, b2) (((b1) + (b2)) == 3 ? 1 : 0)
#define max_score(s1, s2) ((s1 >= s2) ? s1 : s2)

static void kernel_edges(int n, int m, DATA_TYPE alpha, DATA_TYPE SUITE_2D(in, N, M, n, m),
                         DATA_TYPE SUITE_2D(out, N, M, n, m), DATA_TYPE SUITE_2D(y1, N, M, n, m),
                         DATA_TYPE SUITE_2D(y2, N, M, n, m))
{
    int i, j;
    DATA_TYPE xm1, tm1, ym1, ym2, xp1, xp2, tp1, tp2, yp1, yp2;
    DATA_TYPE k, a1, a2, a3, a4, a5, a6, a7, a8, b1, b2, c1, c2;

#pragma scop
    k = (SCALAR_VAL(1.0) - EXP_FUN(-alpha)) * (SCALAR_VAL(1.0) - EXP_FUN(-alpha))
        / (SCALAR_VAL(1.0) + SCALAR_VAL(2.0) * alpha * EXP_FUN(-alpha) - EXP_FUN(SCALAR_VAL(2.0) * alpha));
    a1 = a5 = k;
    a2 = a6 = k * EXP_FUN(-alpha) * (alpha - SCALAR_VAL(1.0));
    a3 = a7 = k * EXP_FUN(-alpha) * (alpha + SCALAR_VAL(1.0));
    a4 = a8 = -k * EXP_FUN(SCALAR_VAL(-2.0) * alpha);
    b1 = POW_FUN(SCALAR_VAL(2.0), -alpha);
    b2 = -EXP_FUN(SCALAR_VAL(-2.0) * alpha);
    c1 = c2 = 1;

    for (i = 0; i < _SB_N; i++) {
        ym1 = SCALAR_VAL(0.0);
        ym2 = SCALAR_VAL(0.0);
        xm1 = SCALAR_VAL(0.0);
        for (j = 0; j < _SB_M; j++) {
            y1[i][j] = a1 * in[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
            xm1 = in[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
    for (i = 0; i < _SB_N; i++) {
        yp1 = SCALAR_VAL(0.0);
        yp2 = SCALAR_VAL(0.0);
        xp1 = SCALAR_VAL(0.0);
        xp2 = SCALAR_VAL(0.0);
        for (j = _SB_M - 1; j >= 0; j--) {
            y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
            xp2 = xp1;
            xp1 = in[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_M; j++)
            out[i][j] = c1 * (y1[i][j] + y2[i][j]);

    for (j = 0; j < _SB_M; j++) {
        tm1 = SCALAR_VAL(0.0);
        ym1 = SCALAR_VAL(0.0);
        ym2 = SCALAR_VAL(0.0);
        for (i = 0; i < _SB_N; i++) {
            y1[i][j] = a5 * out[i][j] + a6 * tm1 + b1 * ym1 + b2 * ym2;
            tm1 = out[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
    for (j = 0; j < _SB_M; j++) {
        tp1 = SCALAR_VAL(0.0);
        tp2 = SCALAR_VAL(0.0);
        yp1 = SCALAR_VAL(0.0);
        yp2 = SCALAR_VAL(0.0);
        for (i = _SB_N - 1; i >= 0; i--) {
            y2[i][j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2;
            tp2 = tp1;
            tp1 = out[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_M; j++)
            out[i][j] = c2 * (y1[i][j] + y2[i][j]);
#pragma endscop
}

static void kernel_shortest(int n, int SUITE_2D(path, N, N, n, n))
{
    int i, j, k;

#pragma scop
    for (k = 0; k < _SB_N; k++) {
        for (i = 0; i < _SB_N; i++)
            for (j = 0; j < _SB_N; j++)
                path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
    }
#pragma endscop
}

static void kernel_fold(int n, base SUITE_1D(seq, N, n), int SUITE_2D(table, N, N, n, n))
{
    int i, j, k;

#pragma scop
    for (i = _SB_N - 1; i >= 0; i--) {
        for (j = i + 1; j < _SB_N; j++) {
            if (j - 1 >= 0)
                table[i][j] = max_score(table[i][j], table[i][j - 1]);
            if (i + 1 < _SB_N)
                table[i][j] = max_score(table[i][j], table[i + 1][j]);

            if (j - 1 >= 0 && i + 1 < _SB_N) {
                /* Neighbours do not bind. */
                if (i < j - 1)
                    table[i][j] = max_score(table[i][j], table[i + 1][j - 1] + match(seq[i], seq[j]));
                else
                    table[i][j] = max_score(table[i][j], table[i + 1][j - 1]);
            }

            for (k = i + 1; k < j; k++) {
                table[i][j] = max_score(table[i][j], table[i][k] + table[k + 1][j]);
            }
        }
    }
#pragma endscop
}

static void run_medley(void)
{
    int n = N, m = M, i, j;
    SUITE_2D_DECL(in, DATA_TYPE, N, M, n, m);
    SUITE_2D_DECL(out, DATA_TYPE, N, M, n, m);
    SUITE_2D_DECL(y1, DATA_TYPE, N, M, n, m);
    SUITE_2D_DECL(y2, DATA_TYPE, N, M, n, m);
    SUITE_2D_DECL(path, int, N, N, n, n);
    SUITE_2D_DECL(table, int, N, N, n, n);
    SUITE_1D_DECL(seq, base, N, n);

    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            (SUITE_ARRAY(in))[i][j] = (DATA_TYPE)((313 * i + 991 * j) % 65536) / SCALAR_VAL(65535.0);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            (SUITE_ARRAY(path))[i][j] = i * j % 7 + 1;
            if ((i + j) % 13 == 0 || (i + j) % 7 == 0 || (i + j) % 11 == 0)
                (SUITE_ARRAY(path))[i][j] = 999;
        }
    for (i = 0; i < n; i++)
        (SUITE_ARRAY(seq))[i] = (base)((i + 1) % 4);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            (SUITE_ARRAY(table))[i][j] = 0;
    kernel_edges(n, m, SCALAR_VAL(0.25), SUITE_ARRAY(in), SUITE_ARRAY(out), SUITE_ARRAY(y1), SUITE_ARRAY(y2));
    kernel_shortest(n, SUITE_ARRAY(path));
    kernel_fold(n, SUITE_ARRAY(seq), SUITE_ARRAY(table));
    DUMP_START("edges");
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            DUMP_VALUE((SUITE_ARRAY(out))[i][j]);
    DUMP_FINISH();
    DUMP_START("shortest, fold");
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            DUMP_VALUE((SUITE_ARRAY(path))[i][j]);
            DUMP_VALUE((SUITE_ARRAY(table))[i][j]);
        }
    DUMP_FINISH();

    SUITE_FREE_ARRAY(in);
    SUITE_FREE_ARRAY(out);
    SUITE_FREE_ARRAY(y1);
    SUITE_FREE_ARRAY(y2);
    SUITE_FREE_ARRAY(path);
    SUITE_FREE_ARRAY(table);
    SUITE_FREE_ARRAY(seq);
}
