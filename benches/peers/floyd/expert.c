#include "common.h"
#include <immintrin.h>
#ifdef __AVX512F__
enum { LANES = 8, Q = 4 }; // Q vectors of a row in registers: 4 rows take 16 of 32, or 8 of 16
typedef D V __attribute__((vector_size(64), aligned(8)));
static inline V lesser(V a, V b) { return _mm512_min_pd(a, b); }
static inline V every(D f) { return _mm512_set1_pd(f); }
#else
enum { LANES = 4, Q = 2 };
typedef D V __attribute__((vector_size(32), aligned(8)));
static inline V lesser(V a, V b) { return _mm256_min_pd(a, b); }
static inline V every(D f) { return _mm256_set1_pd(f); }
#endif
// Blocks of B nodes, as in Venkataraman, Sahni, Mukhopadhyaya, "A blocked all-pairs shortest-paths algorithm", 2003: the block on the diagonal,
// then its row and its column, then all others, whose updates are free of each other and run on tiles of registers.
enum { B = 64 };
static inline void through(I n, D *d, const D *a, const D *b, I rows, I columns, I steps) { // d = min(d, a + b), step by step: they may overlap
    for (I k = 0; k < steps; k++)
        for (I i = 0; i < rows; i++) {
            const D from = a[i * n + k];
            #pragma omp simd
            for (I j = 0; j < columns; j++) { const D by = from + b[k * n + j]; d[i * n + j] = by < d[i * n + j] ? by : d[i * n + j]; }
        }
}
static inline void apart(I n, D *restrict d, const D *restrict a, const D *restrict b) { // the same for whole blocks that do not overlap
    for (I i = 0; i < B; i += 4)
        for (I j = 0; j < B; j += Q * LANES) {
            V c[4][Q];
            for (int r = 0; r < 4; r++) for (int q = 0; q < Q; q++) c[r][q] = *(const V *)(d + (i + r) * n + j + q * LANES);
            for (I k = 0; k < B; k++) {
                V row[Q];
                for (int q = 0; q < Q; q++) row[q] = *(const V *)(b + k * n + j + q * LANES);
                #pragma GCC unroll 4
                for (int r = 0; r < 4; r++) {
                    const V from = every(a[(i + r) * n + k]);
                    #pragma GCC unroll 4
                    for (int q = 0; q < Q; q++) c[r][q] = lesser(from + row[q], c[r][q]);
                }
            }
            for (int r = 0; r < 4; r++) for (int q = 0; q < Q; q++) *(V *)(d + (i + r) * n + j + q * LANES) = c[r][q];
        }
}
static inline I least(I a, I b) { return a < b ? a : b; }
void kernel(const D *D0, I n, D *d) {
    #pragma omp parallel
    {
        #pragma omp for schedule(static)
        for (I i = 0; i < n; i++) memcpy(d + i * n, D0 + i * n, n * sizeof *d);
        for (I k = 0; k < n; k += B) {
            const I steps = least(B, n - k);
            #pragma omp single
            through(n, d + k * n + k, d + k * n + k, d + k * n + k, steps, steps, steps);
            #pragma omp for schedule(static)
            for (I t = 0; t < 2 * ((n + B - 1) / B); t++) {
                const I at = t / 2 * B, size = least(B, n - at);
                if (at == k) continue;
                if (t % 2) through(n, d + k * n + at, d + k * n + k, d + k * n + at, steps, size, steps);
                else through(n, d + at * n + k, d + at * n + k, d + k * n + k, size, steps, steps);
            }
            #pragma omp for schedule(static) collapse(2)
            for (I i = 0; i < n; i += B)
                for (I j = 0; j < n; j += B) {
                    if (i == k || j == k) continue;
                    const I rows = least(B, n - i), columns = least(B, n - j);
                    if (rows == B && columns == B && steps == B) apart(n, d + i * n + j, d + i * n + k, d + k * n + j);
                    else through(n, d + i * n + j, d + i * n + k, d + k * n + j, rows, columns, steps);
                }
        }
    }
}
