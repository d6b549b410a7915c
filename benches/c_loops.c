/* Times a kernel on an image of one or three channels before and after `frit fuse`, in turn, and prints the median time of each, their ratio, and the peak memory of each alone.
 * Built by c_loops.sh, with the kernel's two versions as `before` and `after`. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void before(int n, int m, float weight, const float *in, float *out);
void after(int n, int m, float weight, const float *in, float *out);
typedef void (*kernel)(int, int, float, const float *, float *);

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kilobytes that a call adds to the memory of a process. */
static long memory(kernel run, int n, int m, const float *in, float *out) {
    int pipes[2];
    if (pipe(pipes) != 0) return -1;
    if (fork() == 0) {
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        long start = usage.ru_maxrss;
        run(n, m, 0.5f, in, out);
        getrusage(RUSAGE_SELF, &usage);
        long more = usage.ru_maxrss - start;
        if (write(pipes[1], &more, sizeof more) != sizeof more) _exit(1);
        _exit(0);
    }
    long more = -1;
    if (read(pipes[0], &more, sizeof more) != sizeof more) more = -1;
    wait(NULL);
    return more;
}

/* What images are like: slow changes, edges, and a little noise. */
static void picture(float *in, size_t n, size_t m) {
    unsigned noise = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            noise = noise * 1664525u + 1013904223u;
            float y = (float)(i % 257) / 257.0f - 0.5f, x = (float)(j % 311) / 311.0f - 0.5f;
            float slow = 0.4f + 0.2f * x - 0.3f * y * x, edge = x * x + y * y < 0.1f ? 0.3f : 0.0f;
            in[i * m + j] = slow + edge + (float)(noise >> 8) / 16777216.0f * 0.02f;
        }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096, m = n, runs = 9;
    size_t bytes = (size_t)n * (size_t)m * sizeof(float);
    float *in = malloc(3 * bytes), *one = malloc(bytes), *other = malloc(bytes);
    if (!in || !one || !other) return 1;
    picture(in, 3 * (size_t)n, (size_t)m);
    memset(one, 1, bytes); // Not zeros, which compilers would leave to the first use of each page.
    memset(other, 1, bytes);
    long kilobytes[2] = { memory(before, n, m, in, one), memory(after, n, m, in, other) };
    double times[2][32];
    for (int run = 0; run < runs; run++)
        for (int which = 0; which < 2; which++) {
            double start = seconds();
            (which ? after : before)(n, m, 0.5f, in, which ? other : one);
            times[which][run] = seconds() - start;
        }
    for (int which = 0; which < 2; which++) qsort(times[which], (size_t)runs, sizeof(double), ascending);
    double a = times[0][runs / 2], b = times[1][runs / 2];
    printf("before %.1f ms, after %.1f ms, ratio %.2f; temporaries %ld KB, then %ld KB; %s\n", a * 1e3, b * 1e3, b / a,
           kilobytes[0], kilobytes[1], memcmp(one, other, bytes) == 0 ? "equal results" : "OTHER RESULTS");
    return 0;
}
