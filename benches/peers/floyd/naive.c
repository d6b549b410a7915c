#include "common.h"
// For each node: the paths through it are stored, then the shorter ones are.
void kernel(const D *D0, I n, D *out) {
    D *d = dalloc(n * n);
    memcpy(d, D0, n * n * sizeof *d);
    for (I k = 0; k < n; k++) {
        D *by = dalloc(n * n), *next = dalloc(n * n);
        PF for (I i = 0; i < n; i++) for (I j = 0; j < n; j++) by[i * n + j] = d[i * n + k] + d[k * n + j];
        PF for (I i = 0; i < n * n; i++) next[i] = by[i] < d[i] ? by[i] : d[i];
        free(by);
        free(d);
        d = next;
    }
    memcpy(out, d, n * n * sizeof *d);
    free(d);
}
