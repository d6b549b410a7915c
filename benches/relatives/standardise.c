// Three sweeps along the rows, with sums of each thread's own.
#include <math.h>
#include <stdint.h>

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *x = arguments[0].elements;
    double *result = results[0].elements;
    int64_t rows = arguments[0].shape[0], columns = arguments[0].shape[1];
    double mean[columns], factor[columns];
    for (int64_t j = 0; j < columns; j++)
        mean[j] = factor[j] = 0;
#pragma omp parallel for reduction(+ : mean[:columns])
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            mean[j] += x[i * columns + j];
    for (int64_t j = 0; j < columns; j++)
        mean[j] /= rows;
#pragma omp parallel for reduction(+ : factor[:columns])
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double difference = x[i * columns + j] - mean[j];
            factor[j] += difference * difference;
        }
    for (int64_t j = 0; j < columns; j++)
        factor[j] = 1 / sqrt(factor[j] / rows);
#pragma omp parallel for
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            result[i * columns + j] = (x[i * columns + j] - mean[j]) * factor[j];
}
