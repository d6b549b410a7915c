// Two sweeps: the least, then where it is first.
#include <omp.h>
#include <stdint.h>

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *x = arguments[0].elements;
    int64_t count = arguments[0].shape[0], place = count;
    double least = x[0];
#pragma omp parallel for simd reduction(min : least)
    for (int64_t i = 0; i < count; i++)
        least = x[i] < least ? x[i] : least;
#pragma omp parallel reduction(min : place)
    {
        int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
        int64_t i = count * thread / threads, end = count * (thread + 1) / threads;
        while (i < end && x[i] != least)
            i++;
        if (i < end)
            place = i;
    }
    *(double *)results[0].elements = least;
    *(int64_t *)results[1].elements = place;
}
