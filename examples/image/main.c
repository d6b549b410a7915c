/* sketch IN.ppm OUT.pgm [SHARPNESS CONTRAST EDGES], or sketch WIDTHxHEIGHT: times an image of that size. */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

/* Stripes, circles and noise. */
static void paint(struct image *image)
{
    unsigned seed = 1;
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            seed = seed * 1664525u + 1013904223u;
            uint8_t *pixel = image->rgb + 3 * ((long)y * image->width + x);
            pixel[0] = (uint8_t)((x / 16 + y / 24) % 2 * 180 + (seed >> 28));
            pixel[1] = (uint8_t)((x * x + y * y) / 4096 % 256);
            pixel[2] = (uint8_t)(x ^ y);
        }
}

int main(int argc, char **argv)
{
    struct image image;
    struct options options = {1.5f, 3.0f, 0.5f};
    int is_timed = argc == 2 && sscanf(argv[1], "%dx%d", &image.width, &image.height) == 2;
    if (!is_timed && argc != 3 && argc != 6) {
        fprintf(stderr, "usage: %s IN.ppm OUT.pgm [SHARPNESS CONTRAST EDGES]\n       %s WIDTHxHEIGHT\n", argv[0], argv[0]);
        return 2;
    }
    if (argc == 6)
        options = (struct options){atof(argv[3]), atof(argv[4]), atof(argv[5])};
    if (is_timed) {
        image.rgb = malloc((size_t)3 * image.width * image.height);
        if (!image.rgb)
            return 1;
        paint(&image);
    } else if (read_ppm(argv[1], &image) != 0) {
        return 1;
    }
    uint8_t *out = malloc((size_t)image.width * image.height);
    if (!out)
        return 1;
    int status = 0;
    double least = 1e9;
    for (int run = 0; run < (is_timed ? 7 : 1) && status == 0; run++) {
        double start = now();
        status = sketch(&image, out, &options);
        double taken = now() - start;
        least = taken < least ? taken : least;
    }
    if (status == 0 && is_timed) {
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        unsigned sum = 0;
        for (long at = 0; at < (long)image.width * image.height; at++)
            sum = sum * 31 + out[at];
        printf("%.1f ms, %.1f MB, checksum %08x\n", 1e3 * least, usage.ru_maxrss / 1e3, sum);
    } else if (status == 0) {
        status = write_pgm(argv[2], image.width, image.height, out);
    }
    free(image.rgb);
    free(out);
    return status == 0 ? 0 : 1;
}
