// function: harris
// sizes: h=31, w=42
// sizes: h=7, w=6
// sizes: h=5, w=5
// sizes: h=2, w=3
// arrays: rgb=h*w*3, response=h*w
// output: response
// temporaries: grey=window 3 x w, ix=scalar, iy=scalar, ixx=window 3 x w, ixy=window 3 x w, iyy=window 3 x w, sxx=scalar, sxy=scalar, syy=scalar
// loops: 10 -> 1

#include <stdlib.h>

// Corners after Harris and Stephens: large where the products of derivatives, summed over a 3 x 3 box, are large in
// two directions.
void harris(int h, int w, const float *restrict rgb, float *restrict response)
{
    size_t bytes = (size_t)h * w * sizeof(float);
    float *restrict grey = malloc(bytes);
    float *restrict ix = malloc(bytes), *restrict iy = malloc(bytes);
    float *restrict ixx = malloc(bytes), *restrict ixy = malloc(bytes), *restrict iyy = malloc(bytes);
    float *restrict sxx = malloc(bytes), *restrict sxy = malloc(bytes), *restrict syy = malloc(bytes);

#pragma scop
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            grey[y * w + x] = 0.299f * rgb[3 * (y * w + x)] + 0.587f * rgb[3 * (y * w + x) + 1]
                            + 0.114f * rgb[3 * (y * w + x) + 2];

    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            iy[y * w + x] = (grey[(y + 1) * w + x - 1] - grey[(y - 1) * w + x - 1]) / 12.0f
                          + (grey[(y + 1) * w + x] - grey[(y - 1) * w + x]) / 6.0f
                          + (grey[(y + 1) * w + x + 1] - grey[(y - 1) * w + x + 1]) / 12.0f;
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            ix[y * w + x] = (grey[(y - 1) * w + x + 1] - grey[(y - 1) * w + x - 1]) / 12.0f
                          + (grey[y * w + x + 1] - grey[y * w + x - 1]) / 6.0f
                          + (grey[(y + 1) * w + x + 1] - grey[(y + 1) * w + x - 1]) / 12.0f;

    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            ixx[y * w + x] = ix[y * w + x] * ix[y * w + x];
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            ixy[y * w + x] = ix[y * w + x] * iy[y * w + x];
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            iyy[y * w + x] = iy[y * w + x] * iy[y * w + x];

    for (int y = 2; y < h - 2; y++)
        for (int x = 2; x < w - 2; x++) {
            float sum = 0.0f;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += ixx[(y + dy) * w + x + dx];
            sxx[y * w + x] = sum;
        }
    for (int y = 2; y < h - 2; y++)
        for (int x = 2; x < w - 2; x++) {
            float sum = 0.0f;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += ixy[(y + dy) * w + x + dx];
            sxy[y * w + x] = sum;
        }
    for (int y = 2; y < h - 2; y++)
        for (int x = 2; x < w - 2; x++) {
            float sum = 0.0f;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += iyy[(y + dy) * w + x + dx];
            syy[y * w + x] = sum;
        }

    for (int y = 2; y < h - 2; y++)
        for (int x = 2; x < w - 2; x++) {
            float det = sxx[y * w + x] * syy[y * w + x] - sxy[y * w + x] * sxy[y * w + x];
            float trace = sxx[y * w + x] + syy[y * w + x];
            response[y * w + x] = det - 0.04f * trace * trace;
        }
#pragma endscop

    free(grey), free(ix), free(iy), free(ixx), free(ixy), free(iyy), free(sxx), free(sxy), free(syy);
}
