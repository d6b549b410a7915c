/* Counts how often each of 0, 1, ..., bins-1 occurs among n values: the yardstick for
 * examples/histogram.l0. Sequential, as the program is. A value outside the bins stops it, as it
 * stops the program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void histogram(int64_t n, const int64_t *restrict data, int64_t bins, int64_t *restrict out) {
    memset(out, 0, (size_t)bins * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        int64_t bin = data[i];
        if ((uint64_t)bin >= (uint64_t)bins) {
            fprintf(stderr, "histogram: value %lld is outside the bins\n", (long long)bin);
            exit(1);
        }
        out[bin]++;
    }
}

#ifdef FRIT_BASELINE /* the entry point of `frit bench --against` */
void frit_baseline(const frit_array *arguments, frit_array *results) {
    histogram(arguments[0].shape[0], arguments[0].elements, *(const int64_t *)arguments[1].elements,
              results[0].elements);
}
#endif
