// What the machine takes to move the data of a loop that computes next to nothing: reads READS arrays and writes WRITES, of ELEMENTS numbers of
// eight bytes each. A thread goes through its part of the arrays in one stream or in four, and writes through the caches or past them; of all of
// these counts the fastest. Streams are no large power of two apart, as such places share banks of the memory. Prints the median of its RUNS in
// seconds.
//
//   gcc -O3 -march=native -fopenmp traffic.c -o traffic && ./traffic READS WRITES ELEMENTS RUNS      (threads: OMP_NUM_THREADS)
#include <immintrin.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef __AVX512F__
enum { LANES = 8 };
#define STREAM(to, v) _mm512_stream_pd(to, v)
#elif defined __AVX__
enum { LANES = 4 };
#define STREAM(to, v) _mm256_stream_pd(to, v)
#else
enum { LANES = 2 };
#define STREAM(to, v) _mm_stream_pd(to, v)
#endif
typedef double vector __attribute__((vector_size(8 * LANES)));

enum { MOST_ARRAYS = 4, MOST_STREAMS = 4, MOST_RUNS = 1000, ROUND = 8192 };
static double *arrays[2 * MOST_ARRAYS];
static volatile double sink;

// Elements from `from` on, in `streams` streams of `apart` elements each.
static inline __attribute__((always_inline)) void move(int reads, int writes, long from, long apart, int streams, int past_caches)
{
    vector sums[MOST_STREAMS][4] = {0};
    for (long at = from; at + 4 * LANES <= from + apart; at += 4 * LANES) {
        for (int stream = 0; stream < streams; stream++) {
            for (int part = 0; part < 4; part++) {
                const long place = at + stream * apart + part * LANES;
                vector sum = sums[stream][part];
                for (int read = 0; read < reads; read++)
                    sum += *(const vector *)(arrays[read] + place);
                for (int write = 0; write < writes; write++) {
                    double *to = arrays[MOST_ARRAYS + write] + place;
                    if (past_caches)
                        STREAM(to, sum);
                    else
                        *(vector *)to = sum;
                }
                sums[stream][part] = writes == 0 ? sum : (vector){0};
            }
        }
    }
    double all = 0;
    for (int stream = 0; stream < streams; stream++)
        for (int part = 0; part < 4; part++)
            all += sums[stream][part][0];
    sink = all;
}

static void sweep(int reads, int writes, long elements, int streams, int past_caches)
{
    const long unit = 4 * LANES * MOST_STREAMS;
#pragma omp parallel
    {
        const long share = elements / unit / omp_get_num_threads() * unit, from = omp_get_thread_num() * share;
        const long apart = streams == 1 ? share : share / streams / ROUND * ROUND - ROUND / 2, rest = share - streams * apart;
#define CASE(R, W, S, P)                                                                                                                              \
    if (reads == R && writes == W && streams == S && past_caches == P)                                                                                \
        move(R, W, from, apart, S, P), move(R, W, from + S * apart, rest, 1, P);
#define CASES(R, W) CASE(R, W, 1, 0) CASE(R, W, 4, 0) CASE(R, W, 1, 1) CASE(R, W, 4, 1)
        CASES(1, 0) CASES(2, 0) CASES(1, 1) CASES(2, 1) CASES(3, 1) CASES(4, 1)
        _mm_sfence();
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const int reads = argc == 5 ? atoi(argv[1]) : 0, writes = argc == 5 ? atoi(argv[2]) : 0, runs = argc == 5 ? atoi(argv[4]) : 0;
    const long elements = argc == 5 ? atol(argv[3]) : 0;
    const long least = 2L * MOST_STREAMS * ROUND * omp_get_max_threads();
    if (reads < 1 || reads > (writes ? 4 : 2) || writes < 0 || writes > 1 || elements < least || runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "traffic: READS (1 or 2, up to 4 with a write) WRITES (0 or 1) ELEMENTS (from %ld on) RUNS (up to %d)\n", least, MOST_RUNS);
        return 2;
    }
    for (int array = 0; array < MOST_ARRAYS + writes; array++) {
        if (array >= reads && array < MOST_ARRAYS)
            continue;
        const size_t huge = 2 << 20, bytes = (elements * sizeof(double) + huge - 1) / huge * huge;
        arrays[array] = aligned_alloc(huge, bytes);
        if (!arrays[array]) {
            fprintf(stderr, "traffic: no memory\n");
            return 1;
        }
        madvise(arrays[array], bytes, MADV_HUGEPAGE);
#pragma omp parallel for
        for (long i = 0; i < elements; i++)
            arrays[array][i] = 0;
    }
    double best = 1e30;
    for (int variant = 0; variant < (writes ? 4 : 2); variant++) {
        double times[MOST_RUNS];
        for (int run = -1; run < runs; run++) {
            const double start = omp_get_wtime();
            sweep(reads, writes, elements, variant % 2 ? 4 : 1, variant / 2);
            if (run >= 0)
                times[run] = omp_get_wtime() - start;
        }
        qsort(times, runs, sizeof *times, ascending);
        if (times[runs / 2] < best)
            best = times[runs / 2];
    }
    printf("%.9f\n", best);
}
