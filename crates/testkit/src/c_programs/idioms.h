/* What headers of C programs have. */
#ifndef IDIOMS_H
#define IDIOMS_H

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif
#define SCALAR_VAL(x) x##f

typedef double f64;
typedef unsigned int u32;
typedef int16_t i16;
typedef unsigned char byte_t;
typedef int one;

#define LOOP_BOUND(constant, given) given
#define _PB_N LOOP_BOUND(N, n)
#define _PB_M LOOP_BOUND(M, m)
#define _PB_P LOOP_BOUND(P, p)

#define AT1(a, i) (a)[i]
#define AT2(a, i, j) ((a)[(i)][(j)])
#define AT3(a, i, j, k) (a)[i][j][k]

#define likely(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) (__builtin_expect((x) != 0, 0))

#endif
