#include "common.h"
// The points are stored, then the counts are made: one loop for each array.
void kernel(I width, I height, I limit, I *out) {
    const I n = width * height;
    D *re = dalloc(width), *im = dalloc(height), *cr = dalloc(n), *ci = dalloc(n);
    PF for (I x = 0; x < width; x++) re[x] = -2.0 + 3.0 * (x + 0.5) / width;
    PF for (I y = 0; y < height; y++) im[y] = -1.2 + 2.4 * (y + 0.5) / height;
    PF for (I y = 0; y < height; y++) for (I x = 0; x < width; x++) cr[y * width + x] = re[x];
    PF for (I y = 0; y < height; y++) for (I x = 0; x < width; x++) ci[y * width + x] = im[y];
    PF for (I k = 0; k < n; k++) {
        D a = 0, b = 0;
        I steps = 0;
        while (steps < limit && a * a + b * b <= 4.0) {
            const D next = a * a - b * b + cr[k];
            b = 2.0 * a * b + ci[k];
            a = next;
            steps++;
        }
        out[k] = steps;
    }
    free(re);
    free(im);
    free(cr);
    free(ci);
}
