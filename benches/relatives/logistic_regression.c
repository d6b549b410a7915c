// One sweep along the rows for each step, with sums of each thread's own.
#include <math.h>
#include <stdint.h>

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *x = arguments[0].elements, *y = arguments[1].elements;
    double *weights = results[0].elements;
    int64_t rows = arguments[0].shape[0], columns = arguments[0].shape[1];
    int64_t steps = *(const int64_t *)arguments[2].elements;
    double gradient[columns];
    for (int64_t j = 0; j < columns; j++)
        weights[j] = 0;
    for (int64_t step = 0; step < steps; step++) {
        for (int64_t j = 0; j < columns; j++)
            gradient[j] = 0;
#pragma omp parallel for reduction(+ : gradient[:columns])
        for (int64_t i = 0; i < rows; i++) {
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t j = 0; j < columns; j++)
                sum += x[i * columns + j] * weights[j];
            double error = 1 / (1 + exp(-sum)) - y[i];
            for (int64_t j = 0; j < columns; j++)
                gradient[j] += error * x[i * columns + j];
        }
        for (int64_t j = 0; j < columns; j++)
            weights[j] -= 0.1 * gradient[j] / rows;
    }
}
