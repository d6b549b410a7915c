// Blocks of a row's pixels, with their sums in registers.
#include <stdint.h>

enum { BLOCK = 32 };

static double at(const double *kernel, int64_t height, int64_t width, const double *image, int64_t stride)
{
    double sum = 0;
    for (int64_t p = 0; p < height; p++)
        for (int64_t q = 0; q < width; q++)
            sum += kernel[p * width + q] * image[p * stride + q];
    return sum;
}

void frit_baseline(const frit_array *arguments, frit_array *results)
{
    const double *kernel = arguments[0].elements, *image = arguments[1].elements;
    int64_t height = arguments[0].shape[0], width = arguments[0].shape[1], stride = arguments[1].shape[1];
    int64_t rows = arguments[1].shape[0] - height + 1, columns = stride - width + 1;
    double *result = results[0].elements;
#pragma omp parallel for
    for (int64_t i = 0; i < rows; i++) {
        int64_t first = 0;
        for (; first + BLOCK <= columns; first += BLOCK) {
            double sums[BLOCK] = {0};
            for (int64_t p = 0; p < height; p++)
                for (int64_t q = 0; q < width; q++)
                    for (int j = 0; j < BLOCK; j++)
                        sums[j] += kernel[p * width + q] * image[(i + p) * stride + first + j + q];
            for (int j = 0; j < BLOCK; j++)
                result[i * columns + first + j] = sums[j];
        }
        for (; first < columns; first++)
            result[i * columns + first] = at(kernel, height, width, image + i * stride + first, stride);
    }
}
