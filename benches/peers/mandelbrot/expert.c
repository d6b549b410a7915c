#include "common.h"
// Rows are given out one by one, since their work differs; 32 neighbouring points take steps together until all of them have escaped.
enum { LANES = 32 };
void kernel(I width, I height, I limit, I *out) {
    #pragma omp parallel for schedule(dynamic, 1)
    for (I y = 0; y < height; y++) {
        const D im = -1.2 + 2.4 * (y + 0.5) / height;
        for (I x = 0; x < width; x += LANES) {
            D re[LANES], zr[LANES], zi[LANES];
            I steps[LANES], inside = 1;
            for (I l = 0; l < LANES; l++) { re[l] = -2.0 + 3.0 * (x + l + 0.5) / width; zr[l] = zi[l] = 0; steps[l] = 0; }
            for (I n = 0; n < limit && inside; n++) {
                inside = 0;
                #pragma omp simd reduction(+ : inside)
                for (I l = 0; l < LANES; l++) {
                    const D a = zr[l] * zr[l], b = zi[l] * zi[l];
                    const I in = a + b <= 4.0;
                    // What has escaped goes on, to infinity or NaN, and is never inside again.
                    zi[l] = 2.0 * zr[l] * zi[l] + im;
                    zr[l] = a - b + re[l];
                    steps[l] += in;
                    inside += in;
                }
            }
            const I count = width - x < LANES ? width - x : LANES;
            memcpy(out + y * width + x, steps, count * sizeof *steps);
        }
    }
}
