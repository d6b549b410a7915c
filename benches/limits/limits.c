// The limits of the machine, for processors that the harness' own program does not run on: bandwidth of each level of the memory hierarchy and
// throughput of fused multiply-adds, on one thread and on two, with the vectors that the processor has. Prints an object in JSON; bandwidths are
// named KERNEL_LEVEL_THREADS, in GB/s, throughput fma_gflops_THREADS.
//
//   gcc -O3 -march=native -fopenmp -ffast-math limits.c -o limits && ./limits [ROUNDS]
#define _GNU_SOURCE
#include <immintrin.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef __AVX512F__
enum { LANES = 8 };
#elif defined __AVX__
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
typedef double vector __attribute__((vector_size(8 * LANES)));

static volatile double sink;

static double sum_of_lanes(vector v)
{
    double sum = 0;
    for (int lane = 0; lane < LANES; lane++)
        sum += v[lane];
    return sum;
}

// The sum of n elements, read as four streams that are `apart` vectors from each other, in steps of `step` vectors.
static double read_streams(const double *a, long n, long apart, long step)
{
    const vector *v = (const vector *)a;
    vector s0 = {0}, s1 = s0, s2 = s0, s3 = s0;
    for (long i = 0, end = n / LANES / 4; i < end; i++, v += step) {
        s0 += v[0];
        s1 += v[apart];
        s2 += v[2 * apart];
        s3 += v[3 * apart];
    }
    return sum_of_lanes(s0 + s1 + s2 + s3);
}

static double read1(double *c, const double *a, const double *b, long n) { return read_streams(a, n, 1, 4); }
static double read4(double *c, const double *a, const double *b, long n) { return read_streams(a, n, n / LANES / 4, 1); }

static double copy(double *c, const double *a, const double *b, long n)
{
    for (long i = 0; i < n; i += LANES)
        *(vector *)(c + i) = *(const vector *)(a + i);
    return 0;
}

// A copy whose stores pass the caches by.
static double copy_nontemporal(double *c, const double *a, const double *b, long n)
{
    for (long i = 0; i < n; i += LANES) {
#ifdef __AVX512F__
        _mm512_stream_pd(c + i, *(const vector *)(a + i));
#elif defined __AVX__
        _mm256_stream_pd(c + i, *(const vector *)(a + i));
#else
        _mm_stream_pd(c + i, *(const vector *)(a + i));
#endif
    }
    return 0;
}

static double triad(double *c, const double *a, const double *b, long n)
{
    for (long i = 0; i < n; i += LANES)
        *(vector *)(c + i) = *(const vector *)(a + i) + 1.5 * *(const vector *)(b + i);
    return 0;
}

enum { CHAINS = 12, MULTIPLY_ADDS = 5000000 };

// Independent chains of multiply-adds, as many as hide the latency and fit into the registers.
static double multiply_add(void)
{
    vector x[CHAINS];
    for (int chain = 0; chain < CHAINS; chain++)
        x[chain] = (vector){0} + chain;
    for (long i = 0; i < MULTIPLY_ADDS; i++)
        for (int chain = 0; chain < CHAINS; chain++)
            x[chain] = x[chain] * 1.0000001 + 1e-9;
    double sum = 0;
    for (int chain = 0; chain < CHAINS; chain++)
        sum += sum_of_lanes(x[chain]);
    return sum;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int rounds)
{
    qsort(times, rounds, sizeof *times, ascending);
    return times[rounds / 2];
}

enum { MOST_ROUNDS = 64 };

int main(int argc, char **argv)
{
    static const struct { const char *name; double bytes; double (*run)(double *, const double *, const double *, long); } kernels[] = {
        {"read", 8, read1}, {"copy", 16, copy}, {"copynt", 16, copy_nontemporal}, {"triad", 24, triad}, {"read4", 8, read4}};
    static const struct { const char *name; long length; long repeats; } levels[] = {
        {"16KB(L1)", 1L << 11, 20000}, {"512KB(L2)", 1L << 16, 512}, {"16MB(L3)", 1L << 21, 64}, {"128MB", 1L << 24, 8}, {"1GB(DRAM)", 1L << 27, 1}};
    int rounds = argc > 1 ? atoi(argv[1]) : 9;
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "limits: between 1 and %d rounds\n", MOST_ROUNDS);
        return 2;
    }
    setenv("OMP_WAIT_POLICY", "active", 0);
    long most = 1L << 27;
    double *arrays[3];
    for (int k = 0; k < 3; k++) {
        arrays[k] = aligned_alloc(1 << 21, most * sizeof(double));
        if (!arrays[k]) {
            fprintf(stderr, "limits: no memory for three arrays of a GiB\n");
            return 1;
        }
        madvise(arrays[k], most * sizeof(double), MADV_HUGEPAGE);
        for (long i = 0; i < most; i++)
            arrays[k][i] = k;
    }
    double times[MOST_ROUNDS];
    printf("{");
    for (int threads = 1; threads <= 2; threads++) {
        omp_set_num_threads(threads);
        for (int level = 0; level < 5; level++) {
            long length = levels[level].length / threads / 32 * 32;
            for (int kernel = 0; kernel < 5; kernel++) {
                for (int round = 0; round < rounds; round++) {
                    double start = omp_get_wtime();
#pragma omp parallel
                    {
                        long from = omp_get_thread_num() * length;
                        double sum = 0;
                        for (long repeat = 0; repeat < levels[level].repeats; repeat++) {
                            sum += kernels[kernel].run(arrays[2] + from, arrays[0] + from, arrays[1] + from, length);
                            __asm__ volatile("" ::: "memory");
                        }
                        sink = sum;
                    }
                    times[round] = omp_get_wtime() - start;
                }
                double bytes = kernels[kernel].bytes * length * threads * levels[level].repeats;
                printf("\"%s_%s_%dT\": %.2f,\n ", kernels[kernel].name, levels[level].name, threads, bytes / median(times, rounds) / 1e9);
            }
        }
        for (int round = 0; round < rounds; round++) {
            double start = omp_get_wtime();
#pragma omp parallel
            sink = multiply_add();
            times[round] = omp_get_wtime() - start;
        }
        double operations = 2.0 * LANES * CHAINS * MULTIPLY_ADDS * threads;
        printf("\"fma_gflops_%dT\": %.2f,\n ", threads, operations / median(times, rounds) / 1e9);
    }
    printf("\"end\": 0}\n");
}
