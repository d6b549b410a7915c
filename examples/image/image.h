/* Images of one channel, row by row, and what the stages of the pipeline have in common. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdint.h>

#ifndef PIXEL
#define PIXEL float
#endif

typedef PIXEL pixel;

struct image {
    int width, height;
    uint8_t *rgb; /* three bytes a pixel */
};

struct options {
    float sharpness; /* how much of the detail is added */
    float contrast;  /* slope of the tone curve in its middle */
    float edges;     /* how dark edges are drawn */
};

#define AT(a, w, y, x) ((a)[(long)(y) * (w) + (x)])
#define FOR_ROWS(y, h, margin) for (int y = (margin); y < (h) - (margin); y++)
#define FOR_COLUMNS(x, w, margin) for (int x = (margin); x < (w) - (margin); x++)

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(v, low, high) MIN(MAX((v), (low)), (high))

static inline pixel luminance(uint8_t r, uint8_t g, uint8_t b)
{
    return (pixel)(0.299f * r + 0.587f * g + 0.114f * b) / 255.0f;
}

static inline pixel tone(pixel v, float contrast)
{
    pixel t = (v - 0.5f) * contrast;
    return 0.5f + t / (1.0f + (t < 0 ? -t : t));
}

/* Draws the image as with a pencil: sharp, with contrast, its edges dark. 0, or -1 if there is no memory. */
int sketch(const struct image *in, uint8_t *restrict out, const struct options *options);

/* Reads and writes binary PPM and PGM files. 0, or -1 with a message on stderr. */
int read_ppm(const char *path, struct image *image);
int write_pgm(const char *path, int width, int height, const uint8_t *gray);

#endif
