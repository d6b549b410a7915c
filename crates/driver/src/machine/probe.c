/* Measures the machine as generated code sees it: compiled by the same compiler, with the same flags and the same library for threads.
 *
 * Every function returns the seconds of one round, the least of several sweeps: others were disturbed. Threads have working sets of their own. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PROBE __attribute__((visibility("default")))

/* As wide as the vector registers that the compiler uses. */
#if defined(__AVX512F__)
enum { VECTOR = 64 };
#elif defined(__AVX__)
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif
typedef double vector __attribute__((vector_size(VECTOR), aligned(8)));

enum { SWEEPS = 5, LANES = VECTOR / 8, ACCUMULATORS = 12, REGIONS = 25, BATCHES = 12, LINE = 64, PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* A sweep of so many seconds is long beside the clock and the start of threads. */
static const double SWEEP_SECONDS = 1e-3;
/* Sweeps go on for so many seconds, if SWEEPS take less: longer than others keep a core without a break. */
static const double LEAST_SECONDS = 50e-3;
/* Between two parallel loops one thread works alone for so long, as programs do. After less the others may still be busy waiting. */
static const double ALONE_SECONDS = 2e-4;

/* What keeps results alive that nothing else uses. */
static volatile double sink;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static vector splat(double x) {
    vector v;
    for (int lane = 0; lane < LANES; lane++) v[lane] = x;
    return v;
}

/* ---- what one thread does, `rounds` times ---- */

/* Two arrays of `count` elements, and nothing that other threads touch. */
typedef struct {
    double *source, *target;
    int64_t count;
} working_set;

typedef void kernel(const working_set *set, int64_t rounds);

/* The sum of the source: as many independent sums as hide the latency of an addition. */
static void read_all(const working_set *set, int64_t rounds) {
    vector sums[8];
    for (int at = 0; at < 8; at++) sums[at] = splat(0);
    for (int64_t round = 0; round < rounds; round++) {
        const vector *from = (const vector *)set->source;
        for (int64_t at = 0; at + 8 <= set->count / LANES; at += 8) {
            for (int part = 0; part < 8; part++) sums[part] += from[at + part];
        }
        __asm__ volatile("" ::: "memory");
    }
    for (int at = 1; at < 8; at++) sums[0] += sums[at];
    sink = sums[0][0];
}

/* The source scaled into the target. */
static void copy_all(const working_set *set, int64_t rounds) {
    for (int64_t round = 0; round < rounds; round++) {
        const double *restrict from = set->source;
        double *restrict to = set->target;
        const int64_t count = set->count;
#pragma omp simd
        for (int64_t at = 0; at < count; at++) to[at] = 3.0 * from[at];
        __asm__ volatile("" ::: "memory");
    }
}

/* 1024 times ACCUMULATORS independent chains of `a * b + c`. */
static void fuse_all(const working_set *set, int64_t rounds) {
    (void)set;
    vector chains[ACCUMULATORS], factor = splat(0.999), term = splat(0.001);
    for (int at = 0; at < ACCUMULATORS; at++) chains[at] = splat(at);
    __asm__ volatile("" : "+m"(factor), "+m"(term));
    for (int64_t round = 0; round < 1024 * rounds; round++) {
        for (int at = 0; at < ACCUMULATORS; at++) chains[at] = chains[at] * factor + term;
    }
    for (int at = 1; at < ACCUMULATORS; at++) chains[0] += chains[at];
    sink = chains[0][0];
}

/* 1024 times ACCUMULATORS operations, half products and half sums, which nothing can contract. */
static void multiply_and_add_all(const working_set *set, int64_t rounds) {
    (void)set;
    /* Products stay as they are: small ones take many times as long on some processors. */
    vector products[ACCUMULATORS / 2], sums[ACCUMULATORS / 2], factor = splat(1.0), term = splat(0.001);
    for (int at = 0; at < ACCUMULATORS / 2; at++) products[at] = sums[at] = splat(at);
    __asm__ volatile("" : "+m"(factor), "+m"(term));
    for (int64_t round = 0; round < 1024 * rounds; round++) {
        for (int at = 0; at < ACCUMULATORS / 2; at++) products[at] *= factor, sums[at] += term;
    }
    for (int at = 0; at < ACCUMULATORS / 2; at++) products[0] += products[at] + sums[at];
    sink = products[0][0];
}

/* The sum of a polynomial of the source's elements. An element takes OPERATIONS scalar operations as Frit counts work: a read, three
 * multiplications, three additions, and one for the loop. */
enum { OPERATIONS = 8 };
static void compute_all(const working_set *set, int64_t rounds) {
    double sum = 0;
    for (int64_t round = 0; round < rounds; round++) {
        const double *from = set->source;
        const int64_t count = set->count;
#pragma omp simd reduction(+ : sum)
        for (int64_t at = 0; at < count; at++) {
            const double x = from[at], y = x * x - 0.3;
            sum += (y * x + 0.5) * y;
        }
        __asm__ volatile("" ::: "memory");
    }
    sink = sum;
}

/* ---- many threads ---- */

/* Seconds of a round on all threads together; negative without memory. `bytes` is a thread's working set. */
static double round_of(kernel *run, int threads, int64_t bytes, int is_pair) {
    double best = -1, began = 0, first = now();
    int failed = 0, sweeps = 0, is_over = 0;
    int64_t rounds = 1;
#pragma omp parallel num_threads(threads)
    {
        working_set set = {.count = bytes / 8 / (is_pair ? 2 : 1)};
        const size_t half = ((size_t)set.count * 8 + PAGE - 1) & ~(size_t)(PAGE - 1), size = (is_pair ? 2 : 1) * half + PAGE;
        /* Large arrays have huge pages, as those of programs do. */
        const size_t alignment = size >= 2 * HUGE_PAGE ? HUGE_PAGE : PAGE;
        char *memory = NULL;
        if (posix_memalign((void **)&memory, alignment, size) != 0) {
#pragma omp atomic write
            failed = 1;
        } else {
#ifdef MADV_HUGEPAGE
            if (alignment == HUGE_PAGE) madvise(memory, size, MADV_HUGEPAGE);
#endif
            /* Not a multiple of the page apart, or elements of both arrays would compete for the same lines of the cache. */
            set.source = (double *)memory;
            set.target = (double *)(memory + half + 8 * LINE);
            for (int64_t at = 0; at < set.count; at++) set.source[at] = 1.0;
            if (is_pair) memset(set.target, 0, (size_t)set.count * 8);
        }
#pragma omp barrier
        while (!failed && !is_over) {
#pragma omp master
            began = now();
#pragma omp barrier
            run(&set, rounds);
#pragma omp barrier
#pragma omp master
            {
                const double end = now(), seconds = end - began;
                if (seconds < SWEEP_SECONDS && sweeps == 0 && rounds < INT64_C(1) << 40) {
                    rounds *= 2;
                    first = end;
                } else {
                    if (best < 0 || seconds < best) best = seconds;
                    sweeps++;
                    is_over = sweeps >= SWEEPS && end - first >= LEAST_SECONDS;
                }
            }
#pragma omp barrier
        }
        free(memory);
    }
    return failed ? -1 : best / (double)rounds;
}

/* Seconds in which each thread reads an array of `bytes` bytes. */
PROBE double frit_probe_read(int threads, int64_t bytes) {
    return round_of(read_all, threads, bytes, 0);
}

/* Seconds in which each thread reads one array of `bytes / 2` bytes and writes another. */
PROBE double frit_probe_copy(int threads, int64_t bytes) {
    return round_of(copy_all, threads, bytes, 1);
}

/* Seconds of a fused multiplication and addition of doubles, if each thread makes that many at a time as fit its registers. */
PROBE double frit_probe_fma(int threads) {
    return round_of(fuse_all, threads, 64, 0) / (1024.0 * ACCUMULATORS * LANES);
}

/* Seconds of a multiplication or an addition, likewise. */
PROBE double frit_probe_multiply_add(int threads) {
    return round_of(multiply_and_add_all, threads, 64, 0) / (1024.0 * ACCUMULATORS * LANES);
}

/* Seconds of one scalar operation in a vector loop over an array of `bytes` bytes. */
PROBE double frit_probe_operation(int64_t bytes) {
    return round_of(compute_all, 1, bytes, 0) / ((double)(bytes / 8) * OPERATIONS);
}

static int by_size(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Seconds that starting and ending a parallel loop takes that does next to nothing: the median of a batch, of the batch with the least. */
PROBE double frit_probe_region(int threads) {
    int64_t *slots = calloc((size_t)threads, LINE);
    double best = -1;
    if (slots == NULL) return best;
    for (int batch = 0; batch < BATCHES; batch++) {
        double seconds[REGIONS];
        for (int region = 0; region < REGIONS; region++) {
            const double alone = now();
            while (now() - alone < ALONE_SECONDS) {}
            const double begin = now();
#pragma omp parallel for num_threads(threads) schedule(static)
            for (int slot = 0; slot < threads; slot++) slots[slot * (LINE / 8)] += region;
            seconds[region] = now() - begin;
        }
        qsort(seconds, REGIONS, sizeof *seconds, by_size);
        if (best < 0 || seconds[REGIONS / 2] < best) best = seconds[REGIONS / 2];
    }
    sink = (double)slots[0];
    free(slots);
    return best;
}

/* How many threads there are if one asks for so many. */
PROBE int frit_probe_team(int threads) {
    int count = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp atomic
        count++;
    }
    return count;
}

/* The size of the data cache of this level, counted from 1, in bytes, as the C library knows it; 0 if it does not. */
PROBE int64_t frit_probe_cache_size(int level) {
    long size = 0;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE};
    if (level >= 1 && level <= 4) size = sysconf(names[level - 1]);
#else
    (void)level;
#endif
    return size > 0 ? size : 0;
}
