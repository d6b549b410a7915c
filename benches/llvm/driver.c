/* Runs two versions of a kernel on the same memory, compares what they leave in it bit for bit, and times them in turn.

   driver check PLAIN.so FUSED.so BYTES...         compares; exit code 1 and the first difference if there is one
   driver time PLAIN.so FUSED.so BYTES ROUNDS      compares, and prints: seconds of PLAIN, seconds of FUSED, median of their ratios */
#define _GNU_SOURCE
#include "bench.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static unsigned char *memory;
static size_t capacity, used;
static uint64_t state;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(next() >> 11) / 9007199254740992.0);
}

static void *array(size_t count, size_t size)
{
    /* A cache line apart, and not a power of two apart, as allocators do. */
    void *start = memory + used;
    used += (count * size + 63) / 64 * 64 + 192;
    if (used > capacity) {
        fprintf(stderr, "driver: a kernel wants more than %zu bytes\n", capacity);
        exit(2);
    }
    return start;
}

float *bench_floats(size_t count, float low, float high)
{
    float *floats = array(count, sizeof *floats);
    for (size_t i = 0; i < count; i++)
        floats[i] = (float)uniform(low, high);
    return floats;
}

double *bench_doubles(size_t count, double low, double high)
{
    double *doubles = array(count, sizeof *doubles);
    for (size_t i = 0; i < count; i++)
        doubles[i] = uniform(low, high);
    return doubles;
}

int32_t *bench_ints(size_t count, int32_t low, int32_t high)
{
    int32_t *ints = array(count, sizeof *ints);
    for (size_t i = 0; i < count; i++)
        ints[i] = low + (int32_t)(next() % (uint64_t)((int64_t)high - low));
    return ints;
}

int16_t *bench_shorts(size_t count)
{
    int16_t *shorts = array(count, sizeof *shorts);
    for (size_t i = 0; i < count; i++)
        shorts[i] = (int16_t)next();
    return shorts;
}

uint8_t *bench_bytes(size_t count)
{
    uint8_t *bytes = array(count, sizeof *bytes);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)next();
    return bytes;
}

void bench_image(size_t pixels, int *width, int *height)
{
    int unit = 2;
    while ((size_t)(unit + 1) * (size_t)(unit + 1) * 12 <= pixels)
        unit++;
    *width = 4 * unit;
    *height = 3 * unit;
}

typedef struct {
    const char *name;
    void (*setup)(size_t);
    void (*kernel)(void);
} version;

static void *symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);
    if (!address) {
        fprintf(stderr, "driver: %s\n", dlerror());
        exit(2);
    }
    return address;
}

static version load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "driver: %s\n", dlerror());
        exit(2);
    }
    version loaded = {path, (void (*)(size_t))symbol(library, "setup"), (void (*)(void))symbol(library, "kernel")};
    return loaded;
}

static void prepare(const version *which, size_t bytes)
{
    used = 0;
    state = 0x9e3779b97f4a7c15u;
    which->setup(bytes);
}

/* Both versions leave the same in memory, after one and after three runs. */
static void compare(const version *plain, const version *fused, size_t bytes)
{
    for (int runs = 1; runs <= 3; runs += 2) {
        prepare(plain, bytes);
        for (int run = 0; run < runs; run++)
            plain->kernel();
        unsigned char *expected = malloc(used);
        memcpy(expected, memory, used);
        prepare(fused, bytes);
        for (int run = 0; run < runs; run++)
            fused->kernel();
        for (size_t at = 0; at < used; at++)
            if (memory[at] != expected[at]) {
                printf("%s differs from %s for %zu bytes after %d runs, first in byte %zu\n", fused->name, plain->name, bytes, runs, at);
                exit(1);
            }
        free(expected);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Seconds for one run, out of so many in a row, on arrays that are new. */
static double measure(const version *which, size_t bytes, int runs)
{
    prepare(which, bytes);
    which->kernel();
    double start = now();
    for (int run = 0; run < runs; run++)
        which->kernel();
    return (now() - start) / runs;
}

static int ascending(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

enum { MOST_ROUNDS = 1001 };

int main(int count, char **arguments)
{
    if (count < 5 || (strcmp(arguments[1], "check") != 0 && strcmp(arguments[1], "time") != 0)) {
        fprintf(stderr, "usage: driver check|time PLAIN.so FUSED.so BYTES...|BYTES ROUNDS\n");
        return 2;
    }
    /* Twice what is asked for: a kernel that needs a little more than it was told does not fail, and small sizes have a least one. */
    for (int at = 4; at < count; at++) {
        size_t wanted = 2 * (size_t)atoll(arguments[at]) + (1 << 20);
        capacity = wanted > capacity ? wanted : capacity;
    }
    memory = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("driver");
        return 2;
    }
    /* Pages of the same size for both versions. */
    madvise(memory, capacity, MADV_HUGEPAGE);
    version plain = load(arguments[2]), fused = load(arguments[3]);
    if (strcmp(arguments[1], "check") == 0) {
        for (int at = 4; at < count; at++)
            compare(&plain, &fused, (size_t)atoll(arguments[at]));
        return 0;
    }
    size_t bytes = (size_t)atoll(arguments[4]);
    int rounds = count > 5 ? atoi(arguments[5]) : 25;
    if (rounds < 1 || rounds > MOST_ROUNDS)
        rounds = 25;
    compare(&plain, &fused, bytes);
    /* Enough runs in a row that the clock's grain and the first touch of the caches do not count. */
    int runs = 1;
    while (measure(&plain, bytes, runs) * runs < 1e-3 && runs < 1 << 20)
        runs *= 2;
    static double first[MOST_ROUNDS], second[MOST_ROUNDS], ratios[MOST_ROUNDS];
    for (int round = 0; round < rounds; round++) {
        if (round % 2 == 0)
            first[round] = measure(&plain, bytes, runs);
        second[round] = measure(&fused, bytes, runs);
        if (round % 2 != 0)
            first[round] = measure(&plain, bytes, runs);
        ratios[round] = second[round] / first[round];
    }
    printf("%.9f %.9f %.4f\n", median(first, rounds), median(second, rounds), median(ratios, rounds));
    return 0;
}
