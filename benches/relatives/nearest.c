// The points' coordinates transposed, so that vectors compute the distances to a block of points; then the block's least.
#include <stdint.h>
#include <stdlib.h>

enum { BLOCK = 256 };

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *points = arguments[0].elements, *queries = arguments[1].elements;
    int64_t count = arguments[0].shape[0], axes = arguments[0].shape[1], asked = arguments[1].shape[0];
    int64_t *result = results[0].elements;
    double *transposed = malloc(count * axes * sizeof *transposed);
    if (!transposed)
        abort();
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < axes; k++)
            transposed[k * count + i] = points[i * axes + k];
#pragma omp parallel for
    for (int64_t q = 0; q < asked; q++) {
        double least = 1e300;
        int64_t nearest = 0;
        for (int64_t first = 0; first < count; first += BLOCK) {
            int64_t block = first + BLOCK < count ? BLOCK : count - first;
            double distances[BLOCK] = {0}, of_block = least;
            for (int64_t k = 0; k < axes; k++)
                for (int64_t i = 0; i < block; i++) {
                    double difference = queries[q * axes + k] - transposed[k * count + first + i];
                    distances[i] += difference * difference;
                }
            for (int64_t i = 0; i < block; i++)
                of_block = distances[i] < of_block ? distances[i] : of_block;
            if (of_block < least) {
                least = of_block;
                nearest = first;
                while (distances[nearest - first] != least)
                    nearest++;
            }
        }
        result[q] = nearest;
    }
    free(transposed);
}
