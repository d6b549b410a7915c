#include "common.h"
// As NAS MG has it: of a row's neighbours, those that share a weight are summed once, into buffers in the L1 cache (f: the four rows across faces, e:
// across edges), and each sum is used by three elements. The correction is added to the solution where it is made.
typedef struct { const D *c, *f[4], *e[4]; } Rows;
static inline Rows around(const D *u, I n, I i, I j) {
    const I up = (i ? i : n) - 1, down = i + 1 < n ? i + 1 : 0, left = (j ? j : n) - 1, right = j + 1 < n ? j + 1 : 0;
    #define ROW(a, b) u + ((a) * n + (b)) * n
    return (Rows){ROW(i, j), {ROW(up, j), ROW(down, j), ROW(i, left), ROW(i, right)}, {ROW(up, left), ROW(up, right), ROW(down, left), ROW(down, right)}};
}
// The sums with a copy of the last element before the first, and of the first behind the last.
static inline void sums(Rows r, I n, D *restrict c, D *restrict f, D *restrict e) {
    #pragma omp simd
    for (I k = 0; k < n; k++) {
        c[k] = r.c[k];
        f[k] = r.f[0][k] + r.f[1][k] + r.f[2][k] + r.f[3][k];
        e[k] = r.e[0][k] + r.e[1][k] + r.e[2][k] + r.e[3][k];
    }
    c[-1] = c[n - 1]; f[-1] = f[n - 1]; e[-1] = e[n - 1];
    c[n] = c[0]; f[n] = f[0]; e[n] = e[0];
}
#define STENCIL(w0, w1, w2, w3, k) (w0 * c[k] + w1 * (f[k] + c[(k) - 1] + c[(k) + 1]) + w2 * (e[k] + f[(k) - 1] + f[(k) + 1]) + w3 * (e[(k) - 1] + e[(k) + 1]))
#define BUFFERS D C[n + 16], F[n + 16], E[n + 16], *restrict c = C + 8, *restrict f = F + 8, *restrict e = E + 8
#define SHARED(n) _Pragma("omp parallel for schedule(static) collapse(2) if(n >= 16)")

static void residual(const D *v, const D *u, I n, D *r) { // r = v - A u
    SHARED(n) for (I i = 0; i < n; i++) for (I j = 0; j < n; j++) {
        BUFFERS;
        sums(around(u, n, i, j), n, c, f, e);
        const D *a = v + (i * n + j) * n;
        D *o = r + (i * n + j) * n;
        #pragma omp simd
        for (I k = 0; k < n; k++) o[k] = a[k] - (-8.0 / 3.0 * c[k] + 1.0 / 6.0 * (e[k] + f[k - 1] + f[k + 1]) + 1.0 / 12.0 * (e[k - 1] + e[k + 1]));
    }
}
static void smoothed(const D *r, I n, const D *z, D *u, int adds) { // u (+)= z + S r
    SHARED(n) for (I i = 0; i < n; i++) for (I j = 0; j < n; j++) {
        BUFFERS;
        sums(around(r, n, i, j), n, c, f, e);
        const I at = (i * n + j) * n;
        #define SMOOTH (-3.0 / 8.0 * c[k] + 1.0 / 32.0 * (f[k] + c[k - 1] + c[k + 1]) - 1.0 / 64.0 * (e[k] + f[k - 1] + f[k + 1]))
        if (adds) {
            #pragma omp simd
            for (I k = 0; k < n; k++) u[at + k] += z[at + k] + SMOOTH;
        } else {
            #pragma omp simd
            for (I k = 0; k < n; k++) u[at + k] = z[at + k] + SMOOTH;
        }
    }
}
static void coarser(const D *r, I n, D *s) {
    const I h = n / 2;
    SHARED(h) for (I i = 0; i < h; i++) for (I j = 0; j < h; j++) {
        BUFFERS;
        sums(around(r, n, 2 * i + 1, 2 * j + 1), n, c, f, e);
        D *o = s + (i * h + j) * h;
        #pragma omp simd
        for (I k = 0; k < h; k++) o[k] = STENCIL(0.5, 0.25, 0.125, 0.0625, 2 * k + 1);
    }
}
static void finer(const D *s, I h, D *z) {
    const I n = 2 * h;
    SHARED(h) for (I i = 0; i < h; i++) for (I j = 0; j < h; j++) {
        const I up = (i ? i : h) - 1, left = (j ? j : h) - 1;
        const D *a = s + (i * h + j) * h, *b = s + (up * h + j) * h, *c = s + (i * h + left) * h, *d = s + (up * h + left) * h;
        for (int p = 0; p < 2; p++) for (int q = 0; q < 2; q++) {
            D *o = z + ((2 * i + p) * n + 2 * j + q) * n, B[h + 16], *restrict m = B + 8;
            if (p && q) { for (I k = 0; k < h; k++) m[k] = a[k]; }
            else if (q) { for (I k = 0; k < h; k++) m[k] = 0.5 * (a[k] + b[k]); }
            else if (p) { for (I k = 0; k < h; k++) m[k] = 0.5 * (a[k] + c[k]); }
            else { for (I k = 0; k < h; k++) m[k] = 0.25 * (a[k] + b[k] + c[k] + d[k]); }
            m[-1] = m[h - 1];
            #pragma omp simd
            for (I k = 0; k < h; k++) { o[2 * k] = 0.5 * (m[k - 1] + m[k]); o[2 * k + 1] = m[k]; }
        }
    }
}
// u (+)= the correction for r; of the memory at w what the level and those below need.
static void vcycle(const D *r, I n, D *u, int adds, D *w) {
    if (n <= 2) {
        memset(w, 0, n * n * n * sizeof *w);
        smoothed(r, n, w, u, adds);
        return;
    }
    const I points = n * n * n;
    D *z = w, *rest = z + points, *s = rest + points, *corrected = s + points / 8;
    coarser(r, n, s);
    vcycle(s, n / 2, corrected, 0, corrected + points / 8);
    finer(corrected, n / 2, z);
    residual(r, z, n, rest);
    smoothed(rest, n, z, u, adds);
}
void kernel(const D *v, I n, I cycles, D *u) {
    const I points = n * n * n;
    static D *w;
    static I size;
    if (size < points) { free(w); w = aligned_alloc(64, (size_t)(4 * points + 64) * sizeof *w); size = points; }
    PF for (I i = 0; i < points; i++) u[i] = 0;
    for (I k = 0; k < cycles; k++) {
        residual(v, u, n, w);
        vcycle(w, n, u, 1, w + points);
    }
}
