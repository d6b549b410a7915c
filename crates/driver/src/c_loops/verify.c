/* Runs functions of two shared objects on equal random data and compares all that they leave behind.
 *
 * Usage: verify ORIGINAL.so TRANSFORMED.so PLAN SECONDS SLACK
 *
 * A line of PLAN is one call: NAME SEED TOLERANCE VALUE..., with a value for each parameter: what an integer is, how many elements an
 * array has, nothing but a place for a floating-point number. Each object has for each function a caller `frit_verify_NAME`,
 * and `frit_verify_types_NAME`, which ends with a size of 0; a result comes after the parameters, marked as such.
 *
 * A line of the output is the outcome of the call on the line of the same number:
 *   same | differs PARAMETER INDEX OLD NEW | crashed WHICH SIGNAL | late WHICH | unsupported PARAMETER
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { UNKNOWN, SIGNED, UNSIGNED, FLOAT, DOUBLE, LONG_DOUBLE, BOOL };
struct type { int kind; int is_array; unsigned long size; };

enum { MOST_PARAMETERS = 128 };

/* Functions may look beyond an array by so many elements, as the part of them that the region is not may do. */
static size_t slack;

static uint64_t state;
static FILE *outcomes;

static uint64_t next(void) {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Numbers like those of images and signals: integers that are good as subscripts of small tables, reals about 1. */
static void fill(unsigned char *at, struct type type) {
    double real = (double)(next() >> 11) / 9007199254740992.0 * 2.0 - 0.5;
    uint64_t natural = next() % 100;
    switch (type.kind) {
    case FLOAT: { float x = (float)real; memcpy(at, &x, sizeof x); break; }
    case DOUBLE: memcpy(at, &real, sizeof real); break;
    case LONG_DOUBLE: { long double x = real; memset(at, 0, type.size); memcpy(at, &x, 10); break; }
    case BOOL: *at = natural & 1; break;
    default: memcpy(at, &natural, type.size < 8 ? type.size : 8); break; /* little-endian, as all machines Frit runs on */
    }
}

static double real_at(const unsigned char *at, struct type type) {
    float single;
    double real;
    long double large;
    int64_t integer = 0;
    switch (type.kind) {
    case FLOAT: memcpy(&single, at, sizeof single); return single;
    case DOUBLE: memcpy(&real, at, sizeof real); return real;
    case LONG_DOUBLE: memcpy(&large, at, sizeof large); return (double)large;
    default: memcpy(&integer, at, type.size < 8 ? type.size : 8); return (double)integer;
    }
}

static int equal(const unsigned char *one, const unsigned char *other, struct type type, double tolerance) {
    if (memcmp(one, other, type.size) == 0) return 1;
    if (type.kind < FLOAT || type.kind > LONG_DOUBLE) return 0;
    double a = real_at(one, type), b = real_at(other, type);
    if (isnan(a) && isnan(b)) return 1;
    return tolerance > 0 && fabs(a - b) <= tolerance * fmax(1.0, fmax(fabs(a), fabs(b)));
}

static void *symbol(void *object, const char *prefix, const char *name) {
    char full[512];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return dlsym(object, full);
}

/* Memory that cannot be overrun without being noticed: behind it, and in front of the page that it begins in, is nothing. */
static unsigned char *guarded(size_t bytes) {
    const size_t guard = (size_t)1 << 26, page = (size_t)sysconf(_SC_PAGESIZE);
    size_t aligned = (bytes + 63) / 64 * 64, room = (aligned + page - 1) / page * page;
    unsigned char *at = mmap(NULL, room + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED || mprotect(at + guard, room, PROT_READ | PROT_WRITE) != 0) return NULL;
    return at + guard + (room - aligned);
}

/* Memory of which a sanitiser knows the size. */
static unsigned char *exact(size_t bytes) {
    void *buffer;
    return posix_memalign(&buffer, 64, bytes ? bytes : 1) == 0 ? buffer : NULL;
}

/* In a child: the outcome goes to standard output; `progress` tells the parent how far it got. */
static void run(void **objects, const char *name, uint64_t seed, double tolerance, const char *values, int progress) {
    const struct type *types = symbol(objects[0], "frit_verify_types_", name);
    if (!types) { fprintf(outcomes, "unsupported %s\n", name); return; }
    unsigned char *buffers[2][MOST_PARAMETERS];
    void *arguments[2][MOST_PARAMETERS];
    size_t bytes[MOST_PARAMETERS];
    unsigned long elements_of[MOST_PARAMETERS];
    size_t count = 0;
    state = seed;
    for (; types[count].size; count++) {
        struct type type = types[count];
        char *end;
        long long value = strtoll(values, &end, 10);
        values = end;
        if (type.kind == UNKNOWN || count == MOST_PARAMETERS) { fprintf(outcomes, "unsupported %zu\n", count); return; }
        size_t elements = type.is_array ? (size_t)value + 2 * slack : 1;
        elements_of[count] = (unsigned long)value;
        bytes[count] = elements * type.size;
        for (int which = 0; which < 2; which++) {
            buffers[which][count] = slack ? guarded(bytes[count]) : exact(bytes[count]);
            if (!buffers[which][count]) { fprintf(outcomes, "unsupported %zu\n", count); return; }
            arguments[which][count] = buffers[which][count] + (type.is_array ? slack * type.size : 0);
        }
        for (size_t at = 0; at < elements; at++) fill(buffers[0][count] + at * type.size, type);
        if (!type.is_array && type.kind <= UNSIGNED) memcpy(buffers[0][count], &value, type.size < 8 ? type.size : 8);
        memcpy(buffers[1][count], buffers[0][count], bytes[count]);
    }
    for (int which = 0; which < 2; which++) {
        if (write(progress, "12" + which, 1) != 1) return;
        typedef void caller(void **, const unsigned long *, unsigned long);
        caller *call = (caller *)symbol(objects[which], "frit_verify_", name);
        call(arguments[which], elements_of, slack);
    }
    for (size_t at = 0; at < count; at++) {
        for (size_t element = 0; element * types[at].size < bytes[at]; element++) {
            const unsigned char *one = buffers[0][at] + element * types[at].size;
            const unsigned char *other = buffers[1][at] + element * types[at].size;
            if (equal(one, other, types[at], tolerance)) continue;
            long long index = (long long)element - (types[at].is_array ? (long long)slack : 0);
            fprintf(outcomes, "differs %zu %lld %.9g %.9g\n", at, index, real_at(one, types[at]), real_at(other, types[at]));
            return;
        }
    }
    fprintf(outcomes, "same\n");
}

int main(int argc, char **argv) {
    if (argc != 6) return 2;
    slack = (size_t)strtoul(argv[5], NULL, 10);
    /* What the functions print must not get between the outcomes. */
    outcomes = fdopen(dup(1), "w");
    if (!outcomes || !freopen("/dev/null", "w", stdout)) return 2;
    void *objects[2];
    for (int which = 0; which < 2; which++) {
        objects[which] = dlopen(argv[1 + which], RTLD_NOW | RTLD_LOCAL);
        if (!objects[which]) { fprintf(stderr, "%s\n", dlerror()); return 2; }
    }
    FILE *plan = fopen(argv[3], "r");
    if (!plan) return 2;
    unsigned seconds = (unsigned)atoi(argv[4]);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, plan) > 0) {
        char name[256];
        unsigned long long seed;
        double tolerance;
        int read_to = 0;
        if (sscanf(line, "%255s %llu %lf%n", name, &seed, &tolerance, &read_to) != 3) return 2;
        int progress[2];
        if (pipe(progress) != 0) return 2;
        fflush(outcomes);
        pid_t child = fork();
        if (child < 0) return 2;
        if (child == 0) {
            close(progress[0]);
            alarm(seconds);
            run(objects, name, seed, tolerance, line + read_to, progress[1]);
            fflush(outcomes);
            _exit(0);
        }
        close(progress[1]);
        char which = '0', step;
        while (read(progress[0], &step, 1) == 1) which = step;
        close(progress[0]);
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
            fprintf(outcomes, "late %c\n", which);
            seconds = 1; /* What does not end once is not waited for again and again. */
        } else if (WIFSIGNALED(status)) fprintf(outcomes, "crashed %c %d\n", which, WTERMSIG(status));
        else if (WEXITSTATUS(status) != 0) fprintf(outcomes, "crashed %c -%d\n", which, WEXITSTATUS(status));
    }
    fclose(plan);
    return 0;
}
