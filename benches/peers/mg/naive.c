#include "common.h"
// Each operation on arrays in a loop of its own, its result in memory of its own; arguments are given back when they are used up.
static D *copied(const D *a, I m) { D *o = dalloc(m); PF for (I i = 0; i < m; i++) o[i] = a[i]; return o; }
static D *scaled(D w, const D *a, I m) { D *o = dalloc(m); PF for (I i = 0; i < m; i++) o[i] = w * a[i]; return o; }
static D *plus(D *a, D *b, I m) { D *o = dalloc(m); PF for (I i = 0; i < m; i++) o[i] = a[i] + b[i]; free(a); free(b); return o; }
static D *minus(D *a, D *b, I m) { D *o = dalloc(m); PF for (I i = 0; i < m; i++) o[i] = a[i] - b[i]; free(a); free(b); return o; }
static D *rotated(int axis, I by, const D *u, I n) {
    D *o = dalloc(n * n * n);
    const I shift[3] = {axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0};
    PF for (I i = 0; i < n; i++) for (I j = 0; j < n; j++) for (I k = 0; k < n; k++) {
        const I a = i + shift[0], b = j + shift[1], c = k + shift[2];
        o[(i * n + j) * n + k] = u[((a < 0 ? n - 1 : a < n ? a : 0) * n + (b < 0 ? n - 1 : b < n ? b : 0)) * n + (c < 0 ? n - 1 : c < n ? c : 0)];
    }
    return o;
}
static D *beside(int axis, const D *u, I n) { return plus(rotated(axis, -1, u, n), rotated(axis, 1, u, n), n * n * n); }
static D *stencil(D w0, D w1, D w2, D w3, const D *u, I n) {
    const I m = n * n * n;
    D *i = beside(0, u, n), *j = beside(1, u, n), *k = beside(2, u, n), *ij = beside(1, i, n);
    D *ik = beside(2, i, n), *jk = beside(2, j, n), *corners = beside(2, ij, n);
    D *faces = plus(plus(i, j, m), k, m), *edges = plus(plus(ij, ik, m), jk, m);
    D *o = plus(plus(plus(scaled(w0, u, m), scaled(w1, faces, m), m), scaled(w2, edges, m), m), scaled(w3, corners, m), m);
    free(faces);
    free(edges);
    free(corners);
    return o;
}
static D *residual(const D *v, const D *u, I n) { return minus(copied(v, n * n * n), stencil(-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0, u, n), n * n * n); }
static D *smooth(const D *r, I n) { return stencil(-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0, r, n); }
static D *coarser(const D *r, I n) {
    const I h = n / 2;
    D *means = stencil(0.5, 0.25, 0.125, 0.0625, r, n), *o = dalloc(h * h * h);
    PF for (I i = 0; i < h; i++) for (I j = 0; j < h; j++) for (I k = 0; k < h; k++) o[(i * h + j) * h + k] = means[((2 * i + 1) * n + 2 * j + 1) * n + 2 * k + 1];
    free(means);
    return o;
}
static D *finer(const D *z, I h) {
    const I n = 2 * h;
    D *spread = dalloc(n * n * n);
    PF for (I i = 0; i < n; i++) for (I j = 0; j < n; j++) for (I k = 0; k < n; k++)
        spread[(i * n + j) * n + k] = i % 2 && j % 2 && k % 2 ? z[(i / 2 * h + j / 2) * h + k / 2] : 0.0;
    D *o = stencil(1.0, 0.5, 0.25, 0.125, spread, n);
    free(spread);
    return o;
}
static D *vcycle(const D *r, I n) {
    if (n <= 2) return smooth(r, n);
    D *s = coarser(r, n), *correction = vcycle(s, n / 2), *z = finer(correction, n / 2), *rest = residual(r, z, n), *by = smooth(rest, n);
    free(s);
    free(correction);
    free(rest);
    return plus(z, by, n * n * n);
}
void kernel(const D *v, I n, I cycles, D *out) {
    const I m = n * n * n;
    D *u = scaled(0.0, v, m);
    for (I k = 0; k < cycles; k++) {
        D *r = residual(v, u, n);
        u = plus(u, vcycle(r, n), m);
        free(r);
    }
    memcpy(out, u, m * sizeof *u);
    free(u);
}
