// Rows in turn: the greatest element, powers and their sum, quotients in place.
#include <math.h>
#include <stdint.h>

#pragma omp declare simd notinbranch
double exp(double);

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *x = arguments[0].elements;
    double *result = results[0].elements;
    int64_t rows = arguments[0].shape[0], columns = arguments[0].shape[1];
#pragma omp parallel for
    for (int64_t i = 0; i < rows; i++) {
        const double *from = x + i * columns;
        double *to = result + i * columns;
        double greatest = from[0], total = 0;
#pragma omp simd reduction(max : greatest)
        for (int64_t j = 0; j < columns; j++)
            greatest = greatest < from[j] ? from[j] : greatest;
#pragma omp simd reduction(+ : total)
        for (int64_t j = 0; j < columns; j++) {
            to[j] = exp(from[j] - greatest);
            total += to[j];
        }
        for (int64_t j = 0; j < columns; j++)
            to[j] /= total;
    }
}
