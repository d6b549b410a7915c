#include "common.h"
// Each step of a system waits for the one before, so as many systems as a vector has lanes are solved together, one a lane, on square tiles that are turned
// on the way into the caches and out again.
#ifdef __AVX512F__
enum { LANES = 8 };
typedef D V __attribute__((vector_size(64), aligned(8)));
typedef I P __attribute__((vector_size(64)));
static inline void turn(V r[8]) {
    V t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = __builtin_shuffle(r[i], r[i + 1], (P){0, 8, 2, 10, 4, 12, 6, 14});
        t[i + 1] = __builtin_shuffle(r[i], r[i + 1], (P){1, 9, 3, 11, 5, 13, 7, 15});
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            u[i + j] = __builtin_shuffle(t[i + j], t[i + j + 2], (P){0, 1, 8, 9, 4, 5, 12, 13});
            u[i + j + 2] = __builtin_shuffle(t[i + j], t[i + j + 2], (P){2, 3, 10, 11, 6, 7, 14, 15});
        }
    for (int i = 0; i < 4; i++) {
        r[i] = __builtin_shuffle(u[i], u[i + 4], (P){0, 1, 2, 3, 8, 9, 10, 11});
        r[i + 4] = __builtin_shuffle(u[i], u[i + 4], (P){4, 5, 6, 7, 12, 13, 14, 15});
    }
}
#else
enum { LANES = 4 };
typedef D V __attribute__((vector_size(32), aligned(8)));
typedef I P __attribute__((vector_size(32)));
static inline void turn(V r[4]) {
    V t[4];
    for (int i = 0; i < 4; i += 2) {
        t[i] = __builtin_shuffle(r[i], r[i + 1], (P){0, 4, 2, 6});
        t[i + 1] = __builtin_shuffle(r[i], r[i + 1], (P){1, 5, 3, 7});
    }
    for (int i = 0; i < 2; i++) {
        r[i] = __builtin_shuffle(t[i], t[i + 2], (P){0, 1, 4, 5});
        r[i + 2] = __builtin_shuffle(t[i], t[i + 2], (P){2, 3, 6, 7});
    }
}
#endif
static inline void load(const D *a, I n, V r[LANES]) {
    for (int l = 0; l < LANES; l++) r[l] = *(const V *)(a + l * n);
    turn(r);
}
static inline V gather(const D *a, I n) {
    V v;
    for (int l = 0; l < LANES; l++) v[l] = a[l * n];
    return v;
}
static void one(const D *l, const D *d, const D *u, const D *r, I n, D *c, D *x) {
    D under = 0, by = 0, at = 0;
    for (I i = 0; i < n; i++) {
        const D inverse = 1.0 / (d[i] - (i ? l[i] : 0.0) * under);
        c[i] = under = u[i] * inverse;
        x[i] = by = (r[i] - (i ? l[i] : 0.0) * by) * inverse;
    }
    for (I i = n - 1; i >= 0; i--) x[i] = at = i == n - 1 ? x[i] : x[i] - c[i] * at;
}
static void together(const D *l, const D *d, const D *u, const D *r, I n, V *c, V *y, D *x) {
    V under = {0}, by = {0}, at = {0};
    const I whole = n / LANES * LANES;
    for (I b = 0; b < whole; b += LANES) {
        V L[LANES], E[LANES], U[LANES], R[LANES];
        // The next systems lie behind these: as many lines of each array a step as make up their tiles.
        for (I k = 0; k < LANES * LANES; k += 8) {
            const I ahead = LANES * (n + b) + k;
            __builtin_prefetch(l + ahead); __builtin_prefetch(d + ahead); __builtin_prefetch(u + ahead); __builtin_prefetch(r + ahead);
        }
        load(l + b, n, L); load(d + b, n, E); load(u + b, n, U); load(r + b, n, R);
        if (b == 0) L[0] = (V){0};
        for (int i = 0; i < LANES; i++) {
            const V inverse = 1.0 / (E[i] - L[i] * under);
            c[b + i] = under = U[i] * inverse;
            y[b + i] = by = (R[i] - L[i] * by) * inverse;
        }
    }
    for (I i = whole; i < n; i++) {
        const V L = i ? gather(l + i, n) : (V){0}, inverse = 1.0 / (gather(d + i, n) - L * under);
        c[i] = under = gather(u + i, n) * inverse;
        y[i] = by = (gather(r + i, n) - L * by) * inverse;
    }
    for (I i = n - 1; i >= whole; i--) {
        at = y[i] - c[i] * at;
        for (int k = 0; k < LANES; k++) x[k * n + i] = at[k];
    }
    for (I b = whole - LANES; b >= 0; b -= LANES) {
        V X[LANES];
        for (int i = LANES - 1; i >= 0; i--) X[i] = at = y[b + i] - c[b + i] * at;
        turn(X);
        for (int k = 0; k < LANES; k++) *(V *)(x + k * n + b) = X[k];
    }
}
void kernel(const D *l, const D *d, const D *u, const D *r, I systems, I n, D *x) {
    #pragma omp parallel
    {
        V *c = aligned_alloc(64, 2 * (n + 1) * sizeof *c);
        #pragma omp for schedule(static)
        for (I s = 0; s < systems; s += LANES) {
            if (s + LANES <= systems) together(l + s * n, d + s * n, u + s * n, r + s * n, n, c, c + n + 1, x + s * n);
            else for (I k = s; k < systems; k++) one(l + k * n, d + k * n, u + k * n, r + k * n, n, (D *)c, x + k * n);
        }
        free(c);
    }
}
