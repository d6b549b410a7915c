// Along the rows, with sums of each thread's own.
#include <stdint.h>

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *x = arguments[0].elements;
    double *sums = results[0].elements;
    int64_t rows = arguments[0].shape[0], columns = arguments[0].shape[1];
    for (int64_t j = 0; j < columns; j++)
        sums[j] = 0;
#pragma omp parallel for reduction(+ : sums[:columns])
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            sums[j] += x[i * columns + j];
}
