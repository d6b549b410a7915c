// One sweep along the rows, with sums of each thread's own.
#include <stdint.h>

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *a = arguments[0].elements, *x = arguments[1].elements, *y = arguments[2].elements;
    double *product = results[0].elements, *transposed = results[1].elements;
    int64_t rows = arguments[0].shape[0], columns = arguments[0].shape[1];
    for (int64_t j = 0; j < columns; j++)
        transposed[j] = 0;
#pragma omp parallel for reduction(+ : transposed[:columns])
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < columns; j++) {
            sum += a[i * columns + j] * x[j];
            transposed[j] += a[i * columns + j] * y[i];
        }
        product[i] = sum;
    }
}
