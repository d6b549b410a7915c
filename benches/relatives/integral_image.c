// Sums along the rows, then down the columns in place, a share of them for each thread.
#include <omp.h>
#include <stdint.h>

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *x = arguments[0].elements;
    double *result = results[0].elements;
    int64_t rows = arguments[0].shape[0], columns = arguments[0].shape[1];
#pragma omp parallel
    {
#pragma omp for
        for (int64_t i = 0; i < rows; i++) {
            double sum = 0;
            for (int64_t j = 0; j < columns; j++)
                result[i * columns + j] = sum += x[i * columns + j];
        }
        int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
        for (int64_t i = 1; i < rows; i++)
            for (int64_t j = columns * thread / threads; j < columns * (thread + 1) / threads; j++)
                result[i * columns + j] += result[(i - 1) * columns + j];
    }
}
