#include "common.h"
// Elimination of all systems, what is left of them stored; then substitution.
void kernel(const D *l, const D *d, const D *u, const D *r, I systems, I n, D *out) {
    D *e = dalloc(systems * n), *x = dalloc(systems * n);
    PF for (I k = 0; k < systems * n; k++) e[k] = d[k];
    PF for (I k = 0; k < systems * n; k++) x[k] = r[k];
    PF for (I s = 0; s < systems; s++)
        for (I i = s * n + 1; i < (s + 1) * n; i++) {
            const D m = l[i] / e[i - 1];
            e[i] -= m * u[i - 1];
            x[i] -= m * x[i - 1];
        }
    PF for (I s = 0; s < systems; s++) {
        I i = (s + 1) * n - 1;
        x[i] /= e[i];
        while (i-- > s * n) x[i] = (x[i] - u[i] * x[i + 1]) / e[i];
    }
    PF for (I k = 0; k < systems * n; k++) out[k] = x[k];
    free(e);
    free(x);
}
