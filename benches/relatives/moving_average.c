// Blocks of stretches, with their sums side by side.
#include <stdint.h>

enum { BLOCK = 512 };

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *x = arguments[0].elements;
    int64_t length = *(const int64_t *)arguments[1].elements, count = arguments[0].shape[0] - length + 1;
    double *result = results[0].elements;
#pragma omp parallel for
    for (int64_t first = 0; first < count; first += BLOCK) {
        int64_t block = first + BLOCK < count ? BLOCK : count - first;
        double sums[BLOCK] = {0};
        for (int64_t k = 0; k < length; k++)
            for (int64_t i = 0; i < block; i++)
                sums[i] += x[first + i + k];
        for (int64_t i = 0; i < block; i++)
            result[first + i] = sums[i] / length;
    }
}
