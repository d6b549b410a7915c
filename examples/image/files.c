/* Binary PPM in, binary PGM out. */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>

int read_ppm(const char *path, struct image *image)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    int depth = 0;
    image->rgb = NULL;
    if (fscanf(file, "P6 %d %d %d", &image->width, &image->height, &depth) == 3 && depth == 255 && image->width > 0 &&
        image->height > 0 && fgetc(file) != EOF) {
        size_t size = (size_t)3 * image->width * image->height;
        image->rgb = malloc(size);
        if (image->rgb && fread(image->rgb, 1, size, file) != size) {
            free(image->rgb);
            image->rgb = NULL;
        }
    }
    fclose(file);
    if (!image->rgb) {
        fprintf(stderr, "%s: this is no binary PPM file of three bytes a pixel\n", path);
        return -1;
    }
    return 0;
}

int write_pgm(const char *path, int width, int height, const uint8_t *gray)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return -1;
    }
    fprintf(file, "P5\n%d %d\n255\n", width, height);
    size_t size = (size_t)width * height;
    int is_whole = fwrite(gray, 1, size, file) == size;
    if (fclose(file) != 0 || !is_whole) {
        fprintf(stderr, "%s: the disk is full\n", path);
        return -1;
    }
    return 0;
}
