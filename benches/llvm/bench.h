/* What the driver gives to a kernel, and what a kernel gives to the driver. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Arrays in the driver's memory, which lie where they lay after the last call of `setup`, filled with the same pseudo-random numbers:
   at least `low` and less than `high`. What is left in them is what a kernel computed. */
float *bench_floats(size_t count, float low, float high);
double *bench_doubles(size_t count, double low, double high);
int32_t *bench_ints(size_t count, int32_t low, int32_t high);
int16_t *bench_shorts(size_t count);
uint8_t *bench_bytes(size_t count);

/* The sides of the largest image of at most so many pixels that is 4 wide for 3 high, and at least 8 by 6. */
void bench_image(size_t pixels, int *width, int *height);

/* Makes the arrays, of about so many bytes in all. */
void setup(size_t bytes);

/* Does the work once. */
void kernel(void);

/* The function that is measured is called, as a library's would be. */
#define ENTRY __attribute__((noinline))
