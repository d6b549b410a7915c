// Rows in turn, without checks of bounds.
#include <stdint.h>

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const int64_t *starts = arguments[0].elements, *columns = arguments[1].elements;
    const double *values = arguments[2].elements, *x = arguments[3].elements;
    double *result = results[0].elements;
#pragma omp parallel for
    for (int64_t i = 0; i < arguments[0].shape[0] - 1; i++) {
        double sum = 0;
        for (int64_t k = starts[i]; k < starts[i + 1]; k++)
            sum += values[k] * x[columns[k]];
        result[i] = sum;
    }
}
