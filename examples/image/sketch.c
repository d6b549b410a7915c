/* The pipeline: eight stages, each from one image to the next. */
#include "image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 2

static const float kernel[2 * RADIUS + 1] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};


int sketch(const struct image *in, uint8_t *restrict out, const struct options *options)
{
    const int w = in->width, h = in->height;
    const uint8_t *restrict rgb = in->rgb;
    const float sharpness = options->sharpness, contrast = options->contrast, edges = options->edges;

    pixel *restrict gray = malloc(sizeof(pixel) * w * h);
    pixel *restrict rows = malloc(sizeof(pixel) * w * h);
    pixel *restrict soft = malloc(sizeof(pixel) * w * h);
    pixel *restrict sharp = malloc(sizeof(pixel) * w * h);
    pixel *restrict toned = malloc(sizeof(pixel) * w * h);
    pixel *restrict gx = malloc(sizeof(pixel) * w * h);
    pixel *restrict gy = malloc(sizeof(pixel) * w * h);
    if (!gray || !rows || !soft || !sharp || !toned || !gx || !gy) {
        fprintf(stderr, "sketch: no memory for an image of %d x %d pixels\n", w, h);
        free(gray), free(rows), free(soft), free(sharp), free(toned), free(gx), free(gy);
        return -1;
    }
    memset(out, 255, (size_t)w * h);

    /* 1. Luminance. */
    FOR_ROWS(y, h, 0)
        FOR_COLUMNS(x, w, 0)
            AT(gray, w, y, x) = luminance(AT(rgb, 3 * w, y, 3 * x), AT(rgb, 3 * w, y, 3 * x + 1), AT(rgb, 3 * w, y, 3 * x + 2));

    /* 2. and 3. Blur along rows, then along columns. */
    FOR_ROWS(y, h, 0)
        FOR_COLUMNS(x, w, RADIUS)
            AT(rows, w, y, x) = kernel[0] * AT(gray, w, y, x - 2) + kernel[1] * AT(gray, w, y, x - 1) + kernel[2] * AT(gray, w, y, x) +
                                kernel[3] * AT(gray, w, y, x + 1) + kernel[4] * AT(gray, w, y, x + 2);
    FOR_ROWS(y, h, RADIUS)
        FOR_COLUMNS(x, w, RADIUS)
            AT(soft, w, y, x) = kernel[0] * AT(rows, w, y - 2, x) + kernel[1] * AT(rows, w, y - 1, x) + kernel[2] * AT(rows, w, y, x) +
                                kernel[3] * AT(rows, w, y + 1, x) + kernel[4] * AT(rows, w, y + 2, x);

    /* 4. Add the detail that the blur took away. */
    FOR_ROWS(y, h, RADIUS)
        FOR_COLUMNS(x, w, RADIUS) {
            pixel detail = AT(gray, w, y, x) - AT(soft, w, y, x);
            AT(sharp, w, y, x) = CLAMP(AT(gray, w, y, x) + sharpness * detail, 0.0f, 1.0f);
        }

    /* 5. More contrast in the middle. */
    FOR_ROWS(y, h, RADIUS)
        FOR_COLUMNS(x, w, RADIUS)
            AT(toned, w, y, x) = tone(AT(sharp, w, y, x), contrast);

    /* 6. and 7. Gradients by Sobel's operators. */
    FOR_ROWS(y, h, RADIUS + 1)
        FOR_COLUMNS(x, w, RADIUS + 1)
            AT(gx, w, y, x) = AT(toned, w, y - 1, x + 1) - AT(toned, w, y - 1, x - 1) +
                              2 * (AT(toned, w, y, x + 1) - AT(toned, w, y, x - 1)) +
                              AT(toned, w, y + 1, x + 1) - AT(toned, w, y + 1, x - 1);
    FOR_ROWS(y, h, RADIUS + 1)
        FOR_COLUMNS(x, w, RADIUS + 1)
            AT(gy, w, y, x) = AT(toned, w, y + 1, x - 1) - AT(toned, w, y - 1, x - 1) +
                              2 * (AT(toned, w, y + 1, x) - AT(toned, w, y - 1, x)) +
                              AT(toned, w, y + 1, x + 1) - AT(toned, w, y - 1, x + 1);

    /* 8. Dark edges, in bytes. */
    FOR_ROWS(y, h, RADIUS + 1)
        FOR_COLUMNS(x, w, RADIUS + 1) {
            pixel edge = sqrtf(AT(gx, w, y, x) * AT(gx, w, y, x) + AT(gy, w, y, x) * AT(gy, w, y, x));
            AT(out, w, y, x) = (uint8_t)(255.0f * CLAMP(AT(toned, w, y, x) - edges * edge, 0.0f, 1.0f) + 0.5f);
        }

    free(gray);
    free(rows);
    free(soft);
    free(sharp);
    free(toned);
    free(gx);
    free(gy);
    return 0;
}
