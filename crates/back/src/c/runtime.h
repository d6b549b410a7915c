/* ---- run-time system: memory, failures, threads ---- */

#define FRIT_LIKELY(x) __builtin_expect(!!(x), 1)
#define FRIT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FRIT_EXPORT __attribute__((visibility("default")))
#define FRIT_UNUSED __attribute__((unused))
#define FRIT_NOINLINE __attribute__((noinline, unused))
#define FRIT_COLD __attribute__((noinline, cold, unused))
#define FRIT_ALIGNED __attribute__((aligned(64)))

#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_thread_num(void) { return 0; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_in_parallel(void) { return 0; }
#endif

enum { FRIT_BINS = 48, FRIT_ALIGNMENT = 64, FRIT_HUGE = 2 << 20, FRIT_STACK_MARGIN = 128 << 10 };
enum { FRIT_LARGE = 64 << 10, FRIT_PAGE = 4 << 10, FRIT_PLACES = 4 };

/* Memory of one array, owned in common by all arrays and references that name it. */
struct frit_buffer {
    void *elements;
    void *memory;                /* as the system gave it */
    size_t capacity;             /* in bytes */
    int64_t owners;              /* counted atomically: iterations of a parallel loop may share it */
    frit_buffer *next, *previous; /* in the list of live buffers, or (next only) in a bin */
};

/* What only one thread uses. */
typedef struct frit_worker {
    frit_context *context;
    frit_buffer live;             /* head of the ring of buffers that are in use */
    frit_buffer *bins[FRIT_BINS]; /* buffers to use again, by the logarithm of their capacity */
    size_t obtained;              /* large buffers so far */
    char *stack_limit;            /* recursion stops here; null if not known yet */
    frit_report failure;
} FRIT_ALIGNED frit_worker;

struct frit_context {
    int threads;
    int64_t cached, cache_limit; /* bytes in the bins, of all workers */
    pthread_mutex_t lock;        /* of `returned` */
    frit_buffer *returned;       /* results that the caller has released; bins take them at the next call */
    frit_report report;
    char message[256];
    frit_sink sink; /* where output goes; null for standard output */
    void *sink_state;
    char *text; /* the output statement at hand */
    size_t text_used, text_capacity;
    frit_worker *workers;
};

/* A value handed from a procedure to its caller. */
typedef struct {
    void *elements;
    frit_buffer *owner;
    int64_t *shape; /* filled in if not null */
} frit_handover;

/* A parallel loop in which iterations can fail. The failure of the first of them counts. */
typedef struct {
    int64_t iteration;
    frit_report failure;
} frit_region;

static inline int frit_bin(size_t bytes) {
    return bytes <= FRIT_ALIGNMENT ? 0 : 64 - __builtin_clzll((unsigned long long)((bytes - 1) / FRIT_ALIGNMENT));
}

static inline void frit_link(frit_worker *w, frit_buffer *b) {
    b->next = w->live.next;
    b->previous = &w->live;
    b->next->previous = b;
    w->live.next = b;
}

static inline void frit_unlink(frit_buffer *b) {
    b->previous->next = b->next;
    b->next->previous = b->previous;
}

static FRIT_COLD int frit_out_of_memory(frit_worker *w, int site, int64_t bytes) {
    w->failure = (frit_report){.status = FRIT_OUT_OF_MEMORY, .site = site, .bytes = bytes};
    return 1;
}

static FRIT_COLD int frit_fail(frit_worker *w, int site, int kind, int64_t first, int64_t second) {
    w->failure = (frit_report){.status = FRIT_CHECK_FAILED, .site = site, .kind = kind, .numbers = {first, second}};
    return 1;
}

static inline int64_t frit_extent(int64_t extent) {
    return extent < 0 ? 0 : extent;
}

/* The number of elements of an array with these extents, INT64_MAX if there are more than that. */
static inline int64_t frit_count(int rank, const int64_t *extents) {
    int64_t count = 1;
    bool overflow = false;
    for (int axis = 0; axis < rank; axis++) {
        if (extents[axis] <= 0) return 0;
        overflow |= __builtin_mul_overflow(count, extents[axis], &count);
    }
    return overflow ? INT64_MAX : count;
}

static void frit_dispose(frit_buffer *b) {
    free(b->memory);
    free(b);
}

/* Gives a buffer without owners to a bin, or back to the system when the bins hold enough. */
static void frit_recycle(frit_worker *w, frit_buffer *b) {
    frit_context *c = w->context;
    int64_t cached = __atomic_add_fetch(&c->cached, (int64_t)b->capacity, __ATOMIC_RELAXED);
    if (cached > c->cache_limit) {
        __atomic_sub_fetch(&c->cached, (int64_t)b->capacity, __ATOMIC_RELAXED);
        frit_dispose(b);
        return;
    }
    int bin = frit_bin(b->capacity);
    b->next = w->bins[bin];
    w->bins[bin] = b;
}

/* Memory from the system. Its pages cost more than the arithmetic of a loop over them, hence bins and huge pages. Large arrays begin at different
   places of a page: a processor takes a read for one of what was just stored, and waits, if both are at the same place of their pages. */
static FRIT_COLD frit_buffer *frit_obtain(frit_worker *w, size_t bytes) {
    size_t alignment = bytes >= 2 * (size_t)FRIT_HUGE ? FRIT_HUGE : bytes >= FRIT_LARGE ? FRIT_PAGE : FRIT_ALIGNMENT;
    size_t place = bytes < FRIT_LARGE ? 0 : w->obtained++ % FRIT_PLACES * (FRIT_PAGE / FRIT_PLACES);
    frit_buffer *b = malloc(sizeof *b);
    if (b == NULL) return NULL;
    if (posix_memalign(&b->memory, alignment, bytes + place) != 0) {
        free(b);
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (alignment == FRIT_HUGE) madvise(b->memory, bytes + place, MADV_HUGEPAGE);
#endif
    b->elements = (char *)b->memory + place;
    b->capacity = bytes;
    return b;
}

/* A new buffer for `count` elements, or null after noting the failure. */
static FRIT_UNUSED frit_buffer *frit_allocate(frit_worker *w, int site, int64_t count, int64_t size) {
    int64_t wanted;
    if (__builtin_mul_overflow(count, size, &wanted) || wanted > INT64_MAX - FRIT_HUGE) {
        frit_out_of_memory(w, site, INT64_MAX);
        return NULL;
    }
    /* Small sizes are rounded up to powers of two, so that every buffer of a bin fits; large ones to whole blocks. */
    int bin = frit_bin((size_t)wanted);
    size_t bytes = (size_t)FRIT_ALIGNMENT << bin;
    if (bytes > FRIT_HUGE) bytes = ((size_t)wanted + 65535) & ~(size_t)65535;
    frit_buffer **at = &w->bins[bin];
    for (int tries = 0; *at != NULL && tries < 16; tries++, at = &(*at)->next) {
        if ((*at)->capacity >= bytes) {
            frit_buffer *b = *at;
            *at = b->next;
            __atomic_sub_fetch(&w->context->cached, (int64_t)b->capacity, __ATOMIC_RELAXED);
            b->owners = 1;
            frit_link(w, b);
            return b;
        }
    }
    frit_buffer *b = frit_obtain(w, bytes);
    if (b == NULL) {
        frit_out_of_memory(w, site, wanted);
        return NULL;
    }
    b->owners = 1;
    frit_link(w, b);
    return b;
}

static inline frit_buffer *frit_retain(frit_buffer *b) {
    if (b != NULL) __atomic_add_fetch(&b->owners, 1, __ATOMIC_RELAXED);
    return b;
}

static inline void frit_release(frit_worker *w, frit_buffer *b) {
    if (b != NULL && __atomic_sub_fetch(&b->owners, 1, __ATOMIC_ACQ_REL) == 0) {
        frit_unlink(b);
        frit_recycle(w, b);
    }
}

/* True if a loop with this many scalar operations should run on several threads: if those save enough. Parallel loops never nest.
   Small work is told without a division, which takes as long as a small loop. */
static inline bool frit_parallel(const frit_worker *w, int64_t work) {
    const int threads = w->context->threads;
    return threads > 1 && work > FRIT_REGION_WORK && work - work / threads >= FRIT_REGION_WORK && !omp_in_parallel();
}

/* How many iterations a thread takes at a time of a loop whose iterations differ in work: a sixteenth of its share. */
static inline int64_t frit_portion(const frit_worker *w, int64_t iterations) {
    const int64_t portion = iterations / 16 / w->context->threads;
    return portion > 1 ? portion : 1;
}

/* The worker of the current thread of a team that `w` started. */
static inline frit_worker *frit_member(frit_worker *w) {
    return omp_get_num_threads() > 1 ? &w->context->workers[omp_get_thread_num()] : w;
}

/* True if the iteration need not run, because an earlier one failed. */
static inline bool frit_is_over(const frit_region *region, int64_t iteration) {
    return FRIT_UNLIKELY(iteration > __atomic_load_n(&region->iteration, __ATOMIC_RELAXED));
}

/* Notes that an iteration failed. */
static FRIT_COLD void frit_stop(frit_worker *w, frit_region *region, int64_t iteration) {
    pthread_mutex_lock(&w->context->lock);
    if (iteration < region->iteration) {
        region->failure = w->failure;
        __atomic_store_n(&region->iteration, iteration, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&w->context->lock);
}

static FRIT_COLD int frit_fail_region(frit_worker *w, const frit_region *region) {
    w->failure = region->failure;
    return 1;
}

/* Several threads reach the bandwidth of memory, one does not. */
static FRIT_NOINLINE void frit_copy_large(const frit_worker *w, char *restrict target, const char *restrict source,
                                          int64_t bytes) {
    const int64_t block = 1 << 20;
    (void)w;
#pragma omp parallel for schedule(static) num_threads(w->context->threads) if(frit_parallel(w, bytes / 8))
    for (int64_t at = 0; at < bytes; at += block) {
        memcpy(target + at, source + at, (size_t)(bytes - at < block ? bytes - at : block));
    }
}

/* Copies elements; the ranges do not overlap. */
static inline void frit_copy(const frit_worker *w, void *restrict target, const void *restrict source, int64_t count,
                             int64_t size) {
    if (count <= 0) return;
    if (count > (4 << 20) / size) {
        frit_copy_large(w, target, source, count * size);
    } else {
        memcpy(target, source, (size_t)(count * size));
    }
}

/* Some lanes of two vectors, those of the second counted on; `places` are as many integers of the same size. */
#if defined(__clang__) || __GNUC__ >= 12
#define FRIT_SHUFFLE(places, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#elif defined(__GNUC__)
#define FRIT_SHUFFLE(places, x, y, ...) __builtin_shuffle(x, y, (places){__VA_ARGS__})
#endif

/* Copies elements past the caches, in the widest pieces that there are stores for; the ranges do not overlap. Threads end their part of a
   loop with an atomic operation, before which these stores are done. */
#if defined(__x86_64__)
#if defined(__AVX512F__)
#define FRIT_PIECE 64
#define FRIT_STREAM __builtin_ia32_movntdq512
#elif defined(__AVX__)
#define FRIT_PIECE 32
#define FRIT_STREAM __builtin_ia32_movntdq256
#else
#define FRIT_PIECE 16
#define FRIT_STREAM __builtin_ia32_movntdq
#endif
typedef long long frit_piece __attribute__((vector_size(FRIT_PIECE), may_alias));
#ifdef __clang__
#undef FRIT_STREAM
#define FRIT_STREAM(target, piece) __builtin_nontemporal_store(piece, target)
#endif
#endif
#ifdef FRIT_PIECE
/* A line of memory past the caches. */
static inline void frit_store_line(char *to, const char *from) {
    frit_piece piece;
    for (int k = 0; k < 64; k += (int)sizeof piece) {
        memcpy(&piece, from + k, sizeof piece);
        FRIT_STREAM((frit_piece *)(to + k), piece);
    }
}
#endif
static FRIT_UNUSED void frit_stream(void *restrict target, const void *restrict source, int64_t bytes) {
    char *to = target;
    const char *from = source;
    int64_t at = 0;
#ifdef FRIT_PIECE
    /* Whole lines only: what else is written of a line, by the loops beside this one, is in the caches, and would have to leave them first. */
    const int64_t line = 64;
    at = (int64_t)(-(uintptr_t)to & (uintptr_t)(line - 1));
    if (at > bytes) at = bytes;
    /* Blocks begin and end with a line where they can; a call that copies nothing takes as long as some vectors. */
    if (at > 0) memcpy(to, from, (size_t)at);
    for (; at + line <= bytes; at += line) frit_store_line(to + at, from + at);
#endif
    if (at < bytes) memcpy(to + at, from + at, (size_t)(bytes - at));
}

/* The same for a line's worth of elements, which come from registers and go to a line of their own wherever arrays begin with one. */
static inline void frit_stream_line(void *restrict target, const void *restrict source) {
#ifdef FRIT_PIECE
    if (FRIT_LIKELY(((uintptr_t)target & 63) == 0)) {
        frit_store_line(target, source);
        return;
    }
#endif
    memcpy(target, source, 64);
}

/* Brings elements into the processor's second cache; they need not exist. Those that are written very soon, into the first one, whose line no other
   processor has then. */
static inline void frit_prefetch(const void *elements, int64_t first, int64_t count, int64_t size, bool to_write) {
#ifdef __GNUC__
    const uintptr_t from = (uintptr_t)elements + (uintptr_t)(first * size);
    for (int64_t at = 0; at < count * size; at += 64) {
        if (to_write) __builtin_prefetch((const void *)(from + (uintptr_t)at), 1, 3);
        else __builtin_prefetch((const void *)(from + (uintptr_t)at), 0, 2);
    }
#endif
}

/* A new buffer with these elements, or null after noting the failure. */
static FRIT_UNUSED frit_buffer *frit_clone(frit_worker *w, int site, const void *elements, int64_t count, int64_t size) {
    frit_buffer *b = frit_allocate(w, site, count, size);
    if (b != NULL) frit_copy(w, b->elements, elements, count, size);
    return b;
}

/* Hands an array over, sharing its memory if that is counted, else as a copy. */
static FRIT_UNUSED int frit_share(frit_worker *w, int site, frit_handover *result, const void *elements, frit_buffer *owner,
                      int64_t count, int64_t size) {
    if (owner == NULL) {
        owner = frit_clone(w, site, elements, count, size);
        if (owner == NULL) return 1;
        elements = owner->elements;
    } else {
        frit_retain(owner);
    }
    result->elements = (void *)elements;
    result->owner = owner;
    return 0;
}

/* Hands an array over with its ownership, or as a copy if its memory is not counted. */
static inline int frit_hand_over(frit_worker *w, int site, frit_handover *result, const void *elements,
                                 frit_buffer *owner, int64_t count, int64_t size) {
    if (owner == NULL) return frit_share(w, site, result, elements, owner, count, size);
    result->elements = (void *)elements;
    result->owner = owner;
    return 0;
}

/* The end of the stack that recursion may use in this thread: not all of it, and no more than 256 MiB. */
static FRIT_COLD char *frit_find_stack_limit(void) {
    char *here = __builtin_frame_address(0);
    size_t room = 1 << 20;
#ifdef __linux__
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *lowest;
        size_t size;
        if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) room = (size_t)(here - (char *)lowest);
        pthread_attr_destroy(&attributes);
    }
#endif
    if (room > (256u << 20)) room = 256u << 20;
    return here - room + (room > 2 * FRIT_STACK_MARGIN ? FRIT_STACK_MARGIN : room / 2);
}

/* True, and noted as a failure, if a frame of this size no longer fits. Called by procedures that may recurse. */
static inline bool frit_is_too_deep(frit_worker *w, int site, size_t frame) {
    if (w->stack_limit == NULL) w->stack_limit = frit_find_stack_limit();
    if (FRIT_LIKELY((char *)__builtin_frame_address(0) - frame > w->stack_limit)) return false;
    w->failure = (frit_report){.status = FRIT_RECURSION_TOO_DEEP, .site = site};
    return true;
}

static int64_t frit_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static frit_context *frit_open(int threads) {
    frit_context *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->threads = threads < 1 ? 1 : threads;
    if (posix_memalign((void **)&c->workers, FRIT_ALIGNMENT, (size_t)c->threads * sizeof *c->workers) != 0) {
        free(c);
        return NULL;
    }
    memset(c->workers, 0, (size_t)c->threads * sizeof *c->workers);
    for (int at = 0; at < c->threads; at++) {
        frit_worker *w = &c->workers[at];
        w->context = c;
        w->live.next = w->live.previous = &w->live;
    }
    pthread_mutex_init(&c->lock, NULL);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    c->cache_limit = pages > 0 && page > 0 ? (int64_t)pages * page / 4 : (int64_t)256 << 20;
    return c;
}

static void frit_close(frit_context *c) {
    if (c == NULL) return;
    for (int at = 0; at < c->threads; at++) {
        for (int bin = 0; bin < FRIT_BINS; bin++) {
            for (frit_buffer *b = c->workers[at].bins[bin], *next; b != NULL; b = next) {
                next = b->next;
                frit_dispose(b);
            }
        }
    }
    for (frit_buffer *b = c->returned, *next; b != NULL; b = next) {
        next = b->next;
        frit_dispose(b);
    }
    pthread_mutex_destroy(&c->lock);
    free(c->text);
    free(c->workers);
    free(c);
}

/* Begins a call: memory that the caller has released is there to be used again. */
static frit_worker *frit_begin(frit_context *c) {
    frit_worker *w = &c->workers[0];
    pthread_mutex_lock(&c->lock);
    frit_buffer *returned = c->returned;
    c->returned = NULL;
    pthread_mutex_unlock(&c->lock);
    while (returned != NULL) {
        frit_buffer *b = returned;
        returned = b->next;
        frit_recycle(w, b);
    }
    for (int at = 0; at < c->threads; at++) c->workers[at].stack_limit = NULL;
    c->report = (frit_report){.site = -1};
    c->text_used = 0;
    return w;
}

/* Moves a result out of the context's care, into that of the caller. */
static FRIT_UNUSED void frit_give(frit_buffer *b) {
    if (b->previous != NULL) {
        frit_unlink(b);
        b->previous = NULL;
    }
}

/* Ends a call. Whatever is still alive was left behind by a failure, or is a leak; either way it goes. */
static int frit_end(frit_context *c, int failed) {
    if (failed) {
        c->report = c->workers[0].failure;
    }
#ifdef __SSE2__
    /* Stores past the caches are done before anything that the caller stores. */
    __builtin_ia32_sfence();
#endif
    /* What is written about a failure comes after what the program wrote before it. */
    if (c->text != NULL && c->sink == NULL) fflush(stdout);
    for (int at = 0; at < c->threads; at++) {
        frit_worker *w = &c->workers[at];
        while (w->live.next != &w->live) {
            frit_buffer *b = w->live.next;
            frit_unlink(b);
            frit_recycle(&c->workers[0], b);
            if (!failed) c->report.leaked++;
        }
    }
    return c->report.status;
}

/* The caller gives up a result. Any thread may do so, also during a call. */
static void frit_give_back(frit_context *c, frit_buffer *b) {
    if (b == NULL || __atomic_sub_fetch(&b->owners, 1, __ATOMIC_ACQ_REL) != 0) return;
    pthread_mutex_lock(&c->lock);
    b->next = c->returned;
    c->returned = b;
    pthread_mutex_unlock(&c->lock);
}
