/* Statistics of columns. */
#include "suite.h"

static void init_table(int m, int n, DATA_TYPE *scale, DATA_TYPE SUITE_2D(table, N, M, n, m))
{
    int i, j;

    *scale = (DATA_TYPE)n;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            table[i][j] = (DATA_TYPE)((i * j) % 7) / M + i;
}

static void kernel_correlate(int m, int n, DATA_TYPE scale, DATA_TYPE SUITE_2D(table, N, M, n, m),
                             DATA_TYPE SUITE_2D(result, M, M, m, m), DATA_TYPE SUITE_1D(mean, M, m),
                             DATA_TYPE SUITE_1D(deviation, M, m))
{
    int i, j, k;
    DATA_TYPE least = SCALAR_VAL(0.1);

#pragma scop
    for (j = 0; j < _SB_M; j++) {
        mean[j] = SCALAR_VAL(0.0);
        for (i = 0; i < _SB_N; i++)
            mean[j] += table[i][j];
        mean[j] /= scale;
    }
    for (j = 0; j < _SB_M; j++) {
        deviation[j] = SCALAR_VAL(0.0);
        for (i = 0; i < _SB_N; i++)
            deviation[j] += (table[i][j] - mean[j]) * (table[i][j] - mean[j]);
        deviation[j] /= scale;
        deviation[j] = SQRT_FUN(deviation[j]);
        /* Columns that hardly vary. */
        deviation[j] = deviation[j] <= least ? SCALAR_VAL(1.0) : deviation[j];
    }
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_M; j++) {
            table[i][j] -= mean[j];
            table[i][j] /= SQRT_FUN(scale) * deviation[j];
        }
    for (i = 0; i < _SB_M - 1; i++) {
        result[i][i] = SCALAR_VAL(1.0);
        for (j = i + 1; j < _SB_M; j++) {
            result[i][j] = SCALAR_VAL(0.0);
            for (k = 0; k < _SB_N; k++)
                result[i][j] += (table[k][i] * table[k][j]);
            result[j][i] = result[i][j];
        }
    }
    result[_SB_M - 1][_SB_M - 1] = SCALAR_VAL(1.0);
#pragma endscop
}

static void kernel_covary(int m, int n, DATA_TYPE scale, DATA_TYPE SUITE_2D(table, N, M, n, m),
                          DATA_TYPE SUITE_2D(result, M, M, m, m), DATA_TYPE SUITE_1D(mean, M, m))
{
    int i, j, k;

#pragma scop
    for (j = 0; j < _SB_M; j++) {
        mean[j] = SCALAR_VAL(0.0);
        for (i = 0; i < _SB_N; i++)
            mean[j] += table[i][j];
        mean[j] /= scale;
    }
    for (i = 0; i < _SB_N; i++)
        for (j = 0; j < _SB_M; j++)
            table[i][j] -= mean[j];
    for (i = 0; i < _SB_M; i++)
        for (j = i; j < _SB_M; j++) {
            result[i][j] = SCALAR_VAL(0.0);
            for (k = 0; k < _SB_N; k++)
                result[i][j] += table[k][i] * table[k][j];
            result[i][j] /= (scale - SCALAR_VAL(1.0));
            result[j][i] = result[i][j];
        }
#pragma endscop
}

static void run_mining(void)
{
    int n = N, m = M, i, j;
    DATA_TYPE scale;
    SUITE_2D_DECL(table, DATA_TYPE, N, M, n, m);
    SUITE_2D_DECL(result, DATA_TYPE, M, M, m, m);
    SUITE_1D_DECL(mean, DATA_TYPE, M, m);
    SUITE_1D_DECL(deviation, DATA_TYPE, M, m);

    init_table(m, n, &scale, SUITE_ARRAY(table));
    kernel_correlate(m, n, scale, SUITE_ARRAY(table), SUITE_ARRAY(result), SUITE_ARRAY(mean), SUITE_ARRAY(deviation));
    DUMP_START("correlate");
    for (i = 0; i < m; i++)
        for (j = 0; j < m; j++)
            DUMP_VALUE((SUITE_ARRAY(result))[i][j]);
    DUMP_FINISH();
    init_table(m, n, &scale, SUITE_ARRAY(table));
    kernel_covary(m, n, scale, SUITE_ARRAY(table), SUITE_ARRAY(result), SUITE_ARRAY(mean));
    DUMP_START("covary");
    for (i = 0; i < m; i++)
        for (j = 0; j < m; j++)
            DUMP_VALUE((SUITE_ARRAY(result))[i][j]);
    DUMP_FINISH();

    SUITE_FREE_ARRAY(table);
    SUITE_FREE_ARRAY(result);
    SUITE_FREE_ARRAY(mean);
    SUITE_FREE_ARRAY(deviation);
}
