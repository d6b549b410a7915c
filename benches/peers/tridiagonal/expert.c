#include "common.h"
// Each step of a system waits for the one before, so eight systems are solved together, one a lane, on tiles of 8 x 8 that are turned on the way
// into the caches and out again.
typedef D V8 __attribute__((vector_size(64), aligned(8)));
typedef I P8 __attribute__((vector_size(64)));
static inline void turn(V8 r[8]) {
    V8 t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = __builtin_shuffle(r[i], r[i + 1], (P8){0, 8, 2, 10, 4, 12, 6, 14});
        t[i + 1] = __builtin_shuffle(r[i], r[i + 1], (P8){1, 9, 3, 11, 5, 13, 7, 15});
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            u[i + j] = __builtin_shuffle(t[i + j], t[i + j + 2], (P8){0, 1, 8, 9, 4, 5, 12, 13});
            u[i + j + 2] = __builtin_shuffle(t[i + j], t[i + j + 2], (P8){2, 3, 10, 11, 6, 7, 14, 15});
        }
    for (int i = 0; i < 4; i++) {
        r[i] = __builtin_shuffle(u[i], u[i + 4], (P8){0, 1, 2, 3, 8, 9, 10, 11});
        r[i + 4] = __builtin_shuffle(u[i], u[i + 4], (P8){4, 5, 6, 7, 12, 13, 14, 15});
    }
}
static inline void load(const D *a, I n, V8 r[8]) {
    for (int l = 0; l < 8; l++) r[l] = *(const V8 *)(a + l * n);
    turn(r);
}
static inline V8 gather(const D *a, I n) { return (V8){a[0], a[n], a[2 * n], a[3 * n], a[4 * n], a[5 * n], a[6 * n], a[7 * n]}; }
static void one(const D *l, const D *d, const D *u, const D *r, I n, D *c, D *x) {
    D under = 0, by = 0, at = 0;
    for (I i = 0; i < n; i++) {
        const D inverse = 1.0 / (d[i] - (i ? l[i] : 0.0) * under);
        c[i] = under = u[i] * inverse;
        x[i] = by = (r[i] - (i ? l[i] : 0.0) * by) * inverse;
    }
    for (I i = n - 1; i >= 0; i--) x[i] = at = i == n - 1 ? x[i] : x[i] - c[i] * at;
}
static void eight(const D *l, const D *d, const D *u, const D *r, I n, V8 *c, V8 *y, D *x) {
    V8 under = {0}, by = {0}, at = {0};
    const I whole = n / 8 * 8;
    for (I b = 0; b < whole; b += 8) {
        V8 L[8], E[8], U[8], R[8];
        // The next eight systems lie behind these: eight lines of each array a step.
        for (I k = 0; k < 64; k += 8) {
            const I ahead = 8 * n + 8 * b + k;
            __builtin_prefetch(l + ahead); __builtin_prefetch(d + ahead); __builtin_prefetch(u + ahead); __builtin_prefetch(r + ahead);
        }
        load(l + b, n, L); load(d + b, n, E); load(u + b, n, U); load(r + b, n, R);
        if (b == 0) L[0] = (V8){0};
        for (int i = 0; i < 8; i++) {
            const V8 inverse = 1.0 / (E[i] - L[i] * under);
            c[b + i] = under = U[i] * inverse;
            y[b + i] = by = (R[i] - L[i] * by) * inverse;
        }
    }
    for (I i = whole; i < n; i++) {
        const V8 L = i ? gather(l + i, n) : (V8){0}, inverse = 1.0 / (gather(d + i, n) - L * under);
        c[i] = under = gather(u + i, n) * inverse;
        y[i] = by = (gather(r + i, n) - L * by) * inverse;
    }
    for (I i = n - 1; i >= whole; i--) {
        at = y[i] - c[i] * at;
        for (int k = 0; k < 8; k++) x[k * n + i] = at[k];
    }
    for (I b = whole - 8; b >= 0; b -= 8) {
        V8 X[8];
        for (int i = 7; i >= 0; i--) X[i] = at = y[b + i] - c[b + i] * at;
        turn(X);
        for (int k = 0; k < 8; k++) *(V8 *)(x + k * n + b) = X[k];
    }
}
void kernel(const D *l, const D *d, const D *u, const D *r, I systems, I n, D *x) {
    #pragma omp parallel
    {
        V8 *c = aligned_alloc(64, 2 * (n + 1) * sizeof *c);
        #pragma omp for schedule(static)
        for (I s = 0; s < systems; s += 8) {
            if (s + 8 <= systems) eight(l + s * n, d + s * n, u + s * n, r + s * n, n, c, c + n + 1, x + s * n);
            else for (I k = s; k < systems; k++) one(l + k * n, d + k * n, u + k * n, r + k * n, n, (D *)c, x + k * n);
        }
        free(c);
    }
}
