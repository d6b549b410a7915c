// function: colour_chain
// sizes: w=31, h=22
// sizes: w=1, h=1
// sizes: w=5, h=2
// arrays: rgb=w*h*3, out=w*h*3
// output: out
// temporaries: luma=scalar, cb=scalar, cr=scalar, contrast=scalar
// loops: 5 -> 1

#include <stdlib.h>

// To YCbCr, more contrast in luma, less colour, and back; interleaved pixels.
void colour_chain(const float *restrict rgb, float *restrict out, int w, int h, float strength)
{
    float *luma = malloc(sizeof(float) * w * h);
    float *cb = malloc(sizeof(float) * w * h);
    float *cr = malloc(sizeof(float) * w * h);
    float *contrast = malloc(sizeof(float) * w * h);
    int pixels = w * h;

#pragma scop
    for (int p = 0; p < pixels; p++)
        luma[p] = 0.299f * rgb[3 * p] + 0.587f * rgb[3 * p + 1] + 0.114f * rgb[3 * p + 2];
    for (int p = 0; p < pixels; p++)
        cb[p] = 0.564f * (rgb[3 * p + 2] - luma[p]);
    for (int p = 0; p < pixels; p++)
        cr[p] = 0.713f * (rgb[3 * p] - luma[p]);
    for (int p = 0; p < pixels; p++) {
        float t = luma[p] - 0.5f;
        contrast[p] = 0.5f + t * (1.0f + strength * (1.0f - t * t));
    }
    for (int p = 0; p < pixels; p++) {
        out[3 * p] = contrast[p] + 1.403f * 0.9f * cr[p];
        out[3 * p + 1] = contrast[p] - 0.344f * 0.9f * cb[p] - 0.714f * 0.9f * cr[p];
        out[3 * p + 2] = contrast[p] + 1.773f * 0.9f * cb[p];
    }
#pragma endscop

    free(luma);
    free(cb);
    free(cr);
    free(contrast);
}
