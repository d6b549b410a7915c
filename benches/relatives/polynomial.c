// Blocks of points, with their values in registers.
#include <stdint.h>

enum { BLOCK = 32 };

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *coefficients = arguments[0].elements, *points = arguments[1].elements;
    int64_t degree = arguments[0].shape[0], count = arguments[1].shape[0], whole = count / BLOCK * BLOCK;
    double *result = results[0].elements;
#pragma omp parallel for
    for (int64_t first = 0; first < whole; first += BLOCK) {
        double y[BLOCK] = {0};
        for (int64_t k = degree - 1; k >= 0; k--)
            for (int i = 0; i < BLOCK; i++)
                y[i] = y[i] * points[first + i] + coefficients[k];
        for (int i = 0; i < BLOCK; i++)
            result[first + i] = y[i];
    }
    for (int64_t i = whole; i < count; i++) {
        result[i] = 0;
        for (int64_t k = degree - 1; k >= 0; k--)
            result[i] = result[i] * points[i] + coefficients[k];
    }
}
