/* Calls functions of several shared objects on the same memory and compares what they leave: arguments are the number of calls of each
   function, the first of them, and the objects; the first object is the original. What follows this file are tables of the functions. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOT = 1 << 14, PAGE = 1 << 12, MARGIN = 64, REGIONS = 16, OBJECTS = 32 };
enum kind { INTEGER, FLOATING };

struct region {
    unsigned char *slot, *base; /* `base` is where the elements begin; there is a margin on the side that may be accessed. */
    unsigned char *low;
    size_t bytes;               /* From `low`: elements and margin. */
    size_t size;                /* Of an element; 1 if regions of several types overlap. */
    int kind;
    unsigned char before[SLOT], after[SLOT];
};
struct global { const char *name; size_t count, size; int kind; unsigned char *before, *after; };
struct function { const char *name; void (*prepare)(void), (*call)(void *code), (*show)(void); int runs; };

union result { int64_t i; double d; float f; void *p; };

static struct region regions[REGIONS];
static int used;
static union result result;
static int result_size, result_kind;
static uint64_t state, seed, events, draw;
static int64_t event_count;
static int equal, short_run, mode, order;
static void *object;
static sigjmp_buf escape;
static jmp_buf leave;

static uint64_t bits(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int64_t range(int64_t low, int64_t high)
{
    if (high <= low)
        return low;
    uint64_t span = (uint64_t)(high - low) + 1;
    if (short_run && span > 3)
        span = 3;
    return low + (int64_t)((equal ? draw : bits()) % span);
}

static double number(void)
{
    uint64_t word = bits();
    if (mode == 0)
        return (double)((int)(word >> 60) - 8);
    if (mode == 1 && word % 8 == 0) {
        static const double odd[] = { 0.0, -0.0, NAN, INFINITY, -INFINITY, 1e-310, 1e300, -1.0 };
        return odd[(word >> 8) % 8];
    }
    return ((double)(word >> 11) / (double)(1ull << 53) - 0.5) * 16.0;
}

static void fill(unsigned char *at, size_t count, size_t size, int kind, int64_t low, int64_t high)
{
    for (size_t k = 0; k < count; k++, at += size) {
        if (kind == FLOATING) {
            double value = number();
            float single = (float)value;
            memcpy(at, size == 8 ? (void *)&value : (void *)&single, size);
        } else {
            int64_t value = high < low ? low : low + (int64_t)(bits() % ((uint64_t)(high - low) + 1));
            memcpy(at, &value, size);
        }
    }
}

/* Room for elements: all pages around it cannot be accessed, and one end of it is the end of what can be. */
static struct region *room(size_t bytes, size_t size, int kind)
{
    struct region *r = &regions[used++];
    if (used > REGIONS || bytes + 2 * MARGIN > SLOT) {
        printf("FAIL %s: buffers are too large or too many\n", "driver");
        exit(1);
    }
    if (!r->slot) {
        unsigned char *all = mmap(0, SLOT + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(all + PAGE, SLOT, PROT_READ | PROT_WRITE);
        r->slot = all + PAGE;
    }
    r->base = order ? r->slot : r->slot + SLOT - bytes;
    r->low = order ? r->slot : r->base - MARGIN;
    r->bytes = bytes + MARGIN;
    r->size = size;
    r->kind = kind;
    memset(r->low, 0x5a, r->bytes);
    return r;
}

static void *place(int64_t count, size_t size, int kind, int64_t low, int64_t high)
{
    size_t length = count < 0 ? 0 : (size_t)count;
    struct region *r = room(length * size, size, kind);
    fill(r->base, length, size, kind, low, high);
    return r->base;
}

/* Pointers that may overlap share a region, which is as long as all of them. */
static struct region *group;
static size_t group_bytes, group_next, group_last;

static void begin_group(size_t bytes, size_t size, int kind)
{
    group_bytes = (bytes + 7) / 8 * 8;
    group = room(group_bytes, size, kind);
    memset(group->base, 0, group_bytes);
    group_next = group_last = 0;
}

static int disjoint;

static void *place_in_group(int64_t count, size_t size, int kind, int64_t low, int64_t high)
{
    size_t length = (count < 0 ? 0 : (size_t)count) * size;
    size_t slack = (group_bytes - length) / size;
    size_t at;
    if (disjoint) {
        at = (group_next + size - 1) / size;
    } else if (group_next && bits() % 2) {
        int64_t near = (int64_t)(group_last / size) + (int64_t)(bits() % 9) - 4;
        at = near < 0 ? 0 : (size_t)near;
    } else {
        at = bits() % (slack + 1);
    }
    if (at > slack)
        at = slack;
    at *= size;
    fill(group->base + at, length / size, size, kind, low, high);
    group_last = at;
    group_next = at + length ? at + length : 1;
    return group->base + at;
}

/* All NaNs are one value. */
static int is_nan(const unsigned char *at, size_t size)
{
    double value;
    float single;
    if (size == 8)
        return memcpy(&value, at, 8), value != value;
    if (size == 4)
        return memcpy(&single, at, 4), single != single;
    return 0;
}

/* The first byte that differs, or -1. The elements begin at `skip`. */
static long difference(const unsigned char *a, const unsigned char *b, size_t bytes, size_t skip, size_t size, int kind)
{
    if (!memcmp(a, b, bytes))
        return -1;
    for (size_t k = 0; k < bytes; k++) {
        if (a[k] == b[k])
            continue;
        size_t start = k < skip ? k : skip + (k - skip) / size * size;
        if (kind == FLOATING && size > 1 && k >= skip && start + size <= bytes && is_nan(a + start, size) && is_nan(b + start, size)) {
            k = start + size - 1;
            continue;
        }
        return (long)k;
    }
    return -1;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ ((const unsigned char *)bytes)[k]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_array(uint64_t hash, const unsigned char *at, size_t bytes, size_t size, int kind)
{
    static const unsigned char nan[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };
    for (size_t k = 0; k + size <= bytes; k += size)
        hash = mix(hash, kind == FLOATING && is_nan(at + k, size) ? nan : at + k, size);
    return hash;
}

extern struct global globals[];
extern const int global_count;

/* What functions may call. */
void observe(int64_t value)
{
    events = mix(events, &value, sizeof value);
    event_count++;
}

void observe_memory(void)
{
    for (int k = 0; k < used; k++)
        events = hash_array(events, regions[k].low, regions[k].bytes, regions[k].size, regions[k].kind);
    for (int k = 0; k < global_count; k++)
        events = hash_array(events, dlsym(object, globals[k].name), globals[k].count * globals[k].size, globals[k].size, globals[k].kind);
    observe(1);
}

double pure(double value) { return value * 0.5 + 1.0; }
int64_t pure_integer(int64_t value) { return (value ^ 0x55) % 127; }
double peek(const double *at) { return *at; }
void poke(double *at, double value) { *at = value; }

void leave_if(int64_t value)
{
    if (value)
        longjmp(leave, 1);
}

static void on_signal(int number)
{
    siglongjmp(escape, number);
}

static void begin(uint64_t run)
{
    seed = run;
    state = run * 0x2545f4914f6cdd1dull + 12345;
    bits();
    draw = bits() >> 8;
    equal = run % 3 == 1;
    short_run = bits() % 4 == 0;
    mode = (int)(bits() % 3);
    order = (int)(bits() % 2);
    disjoint = bits() % 4 == 0;
    used = 0;
    events = 0xcbf29ce484222325u;
    event_count = 0;
}

static const char *call(const struct function *function, void *code)
{
    result.i = 0;
    int number = sigsetjmp(escape, 1);
    if (number)
        return number == SIGALRM ? "does not end" : "crashes";
    if (!setjmp(leave))
        function->call(code);
    return 0;
}

static const char *what_differs(union result expected, uint64_t expected_events, char *text, size_t room_for)
{
    if (difference((unsigned char *)&expected, (unsigned char *)&result, (size_t)result_size, 0, (size_t)(result_size ? result_size : 1), result_kind) >= 0) {
        if (result_kind == FLOATING)
            snprintf(text, room_for, "returns %.17g instead of %.17g", result_size == 8 ? result.d : (double)result.f, result_size == 8 ? expected.d : (double)expected.f);
        else
            snprintf(text, room_for, "returns %lld instead of %lld", (long long)result.i, (long long)expected.i);
        return text;
    }
    for (int k = 0; k < used; k++) {
        struct region *r = &regions[k];
        size_t skip = (size_t)(r->base - r->low);
        long at = difference(r->after, r->low, r->bytes, skip, r->size, r->kind);
        if (at < 0)
            continue;
        long element = (at - (long)skip) / (long)r->size;
        if (r->kind == FLOATING && at >= (long)skip) {
            const unsigned char *old = r->after + skip + (size_t)element * r->size, *new = r->base + (size_t)element * r->size;
            double a = r->size == 8 ? *(const double *)old : (double)*(const float *)old;
            double b = r->size == 8 ? *(const double *)new : (double)*(const float *)new;
            snprintf(text, room_for, "element %ld of buffer %d is %.17g instead of %.17g", element, k, b, a);
        } else {
            snprintf(text, room_for, "byte %ld (element %ld) of buffer %d differs", at - (long)skip, element, k);
        }
        return text;
    }
    for (int k = 0; k < global_count; k++) {
        struct global *g = &globals[k];
        long at = difference(g->after, dlsym(object, g->name), g->count * g->size, 0, g->size, g->kind);
        if (at >= 0) {
            snprintf(text, room_for, "element %ld of @%s differs", at / (long)g->size, g->name);
            return text;
        }
    }
    if (events != expected_events)
        return "calls functions in another order, or with other memory";
    return 0;
}

static void restore_globals(void)
{
    for (int k = 0; k < global_count; k++)
        memcpy(dlsym(object, globals[k].name), globals[k].before, globals[k].count * globals[k].size);
}

/* The number of comparisons. */
static long compare(const struct function *function, int count, char **paths, void **handles, int runs, uint64_t first)
{
    long done = 0;
    char is_wrong[OBJECTS] = { 0 };
    if (function->runs)
        runs = function->runs;
    for (uint64_t run = first; run < first + (uint64_t)runs; run++) {
        begin(run);
        function->prepare();
        for (int k = 0; k < global_count; k++)
            fill(globals[k].before, globals[k].count, globals[k].size, globals[k].kind, -100, 100);
        for (int k = 0; k < used; k++)
            memcpy(regions[k].before, regions[k].low, regions[k].bytes);
        alarm(10);
        union result expected = { 0 };
        uint64_t expected_events = 0;
        for (int version = 0; version < count; version++) {
            if (is_wrong[version])
                continue;
            object = handles[version];
            for (int k = 0; k < used; k++)
                memcpy(regions[k].low, regions[k].before, regions[k].bytes);
            restore_globals();
            events = 0xcbf29ce484222325u;
            event_count = 0;
            void *code = dlsym(object, function->name);
            char text[200];
            const char *wrong = code ? call(function, code) : "is not there";
            if (version == 0 && !wrong) {
                expected = result;
                expected_events = events;
                for (int k = 0; k < used; k++)
                    memcpy(regions[k].after, regions[k].low, regions[k].bytes);
                for (int k = 0; k < global_count; k++)
                    memcpy(globals[k].after, dlsym(object, globals[k].name), globals[k].count * globals[k].size);
                continue;
            }
            if (!wrong)
                wrong = what_differs(expected, expected_events, text, sizeof text);
            done++;
            if (wrong) {
                const char *name = strrchr(paths[version], '/');
                printf("FAIL %s %s: %s; seed %llu:", function->name, name ? name + 1 : paths[version], wrong, (unsigned long long)run);
                function->show();
                printf("\n");
                fflush(stdout);
                is_wrong[version] = 1;
                if (version == 0)
                    return done;
            }
        }
    }
    return done;
}

extern const struct function functions[];
extern const int function_count;

int main(int count, char **words)
{
    int runs = atoi(words[1]);
    uint64_t first = strtoull(words[2], 0, 10);
    void *handles[OBJECTS];
    stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
    sigaltstack(&stack, 0);
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER };
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGALRM };
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        sigaction(signals[k], &action, 0);
    count -= 3;
    for (int k = 0; k < count; k++)
        if (!(handles[k] = dlopen(words[3 + k], RTLD_NOW | RTLD_LOCAL))) {
            printf("FAIL %s\n", dlerror());
            return 1;
        }
    for (int k = 0; k < global_count; k++) {
        globals[k].before = malloc(globals[k].count * globals[k].size);
        globals[k].after = malloc(globals[k].count * globals[k].size);
    }
    long done = 0;
    for (int k = 0; k < function_count; k++)
        done += compare(&functions[k], count, words + 3, handles, runs, first);
    printf("executions %ld\n", done);
    return 0;
}
