/* What headers of collections of benchmarks define: the type of the data, functions of it, bounds of loops, and how arrays are declared.
   -DFLOAT_DATA, -DCOMPILE_TIME_BOUNDS, -DVARIABLE_SHAPES, -DRESTRICT_ARRAYS, -DSTACK_ARRAYS and -DPADDING=1 choose. */
#ifndef SUITE_H
#define SUITE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The data. */
#ifdef FLOAT_DATA
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#define SQRT_FUN(x) sqrtf(x)
#define EXP_FUN(x) expf(x)
#define POW_FUN(x, y) powf(x, y)
#else
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#define SQRT_FUN(x) sqrt(x)
#define EXP_FUN(x) exp(x)
#define POW_FUN(x, y) pow(x, y)
#endif

/* Sizes. */
#if !defined(SMALL_DATASET) && !defined(LARGE_DATASET)
#define SMALL_DATASET
#endif
#if !defined(N) && !defined(M)
#ifdef SMALL_DATASET
#define N 22
#define M 17
#define K 13
#define STEPS 5
#endif
#ifdef LARGE_DATASET
#define N 1100
#define M 900
#define K 700
#define STEPS 100
#endif
#endif

#ifdef COMPILE_TIME_BOUNDS
#define SUITE_BOUND(fixed, given) fixed
#else
#define SUITE_BOUND(fixed, given) given
#endif
#define _SB_N SUITE_BOUND(N, n)
#define _SB_M SUITE_BOUND(M, m)
#define _SB_K SUITE_BOUND(K, k)
#define _SB_STEPS SUITE_BOUND(STEPS, steps)

/* Arrays. */
#ifdef VARIABLE_SHAPES
#define SUITE_SELECT(fixed, given) given
#else
#define SUITE_SELECT(fixed, given) fixed
#endif
#ifdef RESTRICT_ARRAYS
#define SUITE_RESTRICT restrict
#else
#define SUITE_RESTRICT
#endif
#ifndef PADDING
#define PADDING 0
#endif

#define SUITE_1D(var, d1, p1) var[SUITE_RESTRICT SUITE_SELECT(d1, p1) + PADDING]
#define SUITE_2D(var, d1, d2, p1, p2) \
    var[SUITE_RESTRICT SUITE_SELECT(d1, p1) + PADDING][SUITE_SELECT(d2, p2) + PADDING]
#define SUITE_3D(var, d1, d2, d3, p1, p2, p3) \
    var[SUITE_RESTRICT SUITE_SELECT(d1, p1) + PADDING][SUITE_SELECT(d2, p2) + PADDING][SUITE_SELECT(d3, p3) + PADDING]
/* Without qualifier. */
#define SUITE_1D_F(var, d1, p1) var[SUITE_SELECT(d1, p1) + PADDING]
#define SUITE_2D_F(var, d1, d2, p1, p2) var[SUITE_SELECT(d1, p1) + PADDING][SUITE_SELECT(d2, p2) + PADDING]
#define SUITE_3D_F(var, d1, d2, d3, p1, p2, p3) \
    var[SUITE_SELECT(d1, p1) + PADDING][SUITE_SELECT(d2, p2) + PADDING][SUITE_SELECT(d3, p3) + PADDING]

static void *suite_alloc(unsigned long long count, int size)
{
    void *data = malloc((size_t)count * (size_t)size);
    if (data == NULL) {
        fprintf(stderr, "[suite] no memory\n");
        exit(1);
    }
    return data;
}

#ifdef STACK_ARRAYS
#define SUITE_VAR(var) var
#define SUITE_ARRAY(var) var
#define SUITE_FREE_ARRAY(var)
#define SUITE_1D_DECL(var, type, d1, p1) type SUITE_1D_F(SUITE_VAR(var), d1, p1);
#define SUITE_2D_DECL(var, type, d1, d2, p1, p2) type SUITE_2D_F(SUITE_VAR(var), d1, d2, p1, p2);
#define SUITE_3D_DECL(var, type, d1, d2, d3, p1, p2, p3) type SUITE_3D_F(SUITE_VAR(var), d1, d2, d3, p1, p2, p3);
#else
#define SUITE_VAR(var) (*var)
#define SUITE_ARRAY(var) *var
#define SUITE_FREE_ARRAY(var) free((void *)var);
#define SUITE_1D_DECL(var, type, d1, p1)               \
    type SUITE_1D_F(SUITE_VAR(var), d1, p1);           \
    var = (type(*)[SUITE_SELECT(d1, p1) + PADDING])    \
        suite_alloc((unsigned long long)(SUITE_SELECT(d1, p1) + PADDING), sizeof(type));
#define SUITE_2D_DECL(var, type, d1, d2, p1, p2)                                             \
    type SUITE_2D_F(SUITE_VAR(var), d1, d2, p1, p2);                                         \
    var = (type(*)[SUITE_SELECT(d1, p1) + PADDING][SUITE_SELECT(d2, p2) + PADDING])          \
        suite_alloc((unsigned long long)(SUITE_SELECT(d1, p1) + PADDING) * (SUITE_SELECT(d2, p2) + PADDING), sizeof(type));
#define SUITE_3D_DECL(var, type, d1, d2, d3, p1, p2, p3)                                                                   \
    type SUITE_3D_F(SUITE_VAR(var), d1, d2, d3, p1, p2, p3);                                                               \
    var = (type(*)[SUITE_SELECT(d1, p1) + PADDING][SUITE_SELECT(d2, p2) + PADDING][SUITE_SELECT(d3, p3) + PADDING])        \
        suite_alloc((unsigned long long)(SUITE_SELECT(d1, p1) + PADDING) * (SUITE_SELECT(d2, p2) + PADDING)                \
                        * (SUITE_SELECT(d3, p3) + PADDING), sizeof(type));
#endif

/* What a run has left, so that nothing of it is thrown away. */
#define SUITE_PREVENT_DCE(call) call
#define DUMP_START(name) printf("%s", name)
#define DUMP_FINISH() printf("\n")
#define DUMP_VALUE(x) suite_show((double)(x))

static void suite_show(double value)
{
    printf(" %a", value);
}

#endif
