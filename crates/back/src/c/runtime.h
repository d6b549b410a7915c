/* ---- run-time system: memory, failures, threads ---- */

/* Its larger functions are compiled with the program, or once for all programs and linked to them. */
#ifdef FRIT_RUNTIME_APART
#define FRIT_RUNTIME
#else
#define FRIT_RUNTIME static __attribute__((unused))
#endif

#define FRIT_LIKELY(x) __builtin_expect(!!(x), 1)
#define FRIT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FRIT_EXPORT __attribute__((visibility("default")))
#define FRIT_UNUSED __attribute__((unused))
#define FRIT_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define FRIT_NOINLINE __attribute__((noinline, unused))
#else
#define FRIT_NOINLINE __attribute__((noinline, noclone, unused))
#endif
/* A function that calls no other of the program, so that it may stand in a file of its own. */
#ifndef FRIT_APART
#define FRIT_APART static FRIT_NOINLINE
#endif
#define FRIT_COLD __attribute__((noinline, cold, unused))
#define FRIT_ALIGNED __attribute__((aligned(64)))

#ifndef _OPENMP
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

typedef struct frit_host frit_host;

/* What only one thread uses. */
typedef struct frit_worker {
    frit_context *context;
    frit_buffer live;             /* head of the ring of buffers that are in use */
    frit_buffer *bins[FRIT_BINS]; /* buffers to use again, by the logarithm of their capacity */
    size_t obtained;              /* large buffers so far */
    char *stack_limit;            /* recursion stops here; null if not known yet */
    frit_report failure;
} FRIT_ALIGNED frit_worker;

/* How many sizes of work are told apart for a loop. */
enum { FRIT_CHOICES = 10 };

/* What is known of the times that a parallel loop takes, in nanoseconds for each operation of its work: on one thread and on
   all. It runs in the quicker way, which depends on what else the machine does: threads that wait for a processor let all wait. */
typedef struct {
    double alone, team;  /* averages; 0 if not known yet */
    double best;         /* the least time on all threads */
    double savings;      /* nanoseconds that a trial of the other way may lose */
    double loss;         /* what the trial at hand is expected to lose */
    double spent;        /* what it took, less what the usual way takes */
    double sum, counted; /* the time and the operations of its runs that count */
    double patience;     /* one part in so many of the time goes to trials */
    int64_t work, began; /* of the run at hand; it began at 0 if nothing is to be noted */
    int trial;           /* runs of the trial so far; 0 if there is none */
    int untimed;         /* runs since one was timed */
    bool prefers_team, is_team;
} frit_choice;

struct frit_context {
    int threads;
    frit_choice *choices;        /* of the parallel loops of the program, `FRIT_CHOICES` for each */
    int64_t cached, cache_limit; /* bytes in the bins, of all workers */
    bool by_estimate;            /* times of loops are neither noted nor asked */
    int64_t looked;              /* when `is_busy` was found */
    bool is_busy;                /* other programs keep all processors busy */
    int quiet_looks;             /* how many times in a row they did not */
    pthread_mutex_t lock;        /* of `returned` */
    frit_buffer *returned;       /* results that the caller has released; bins take them at the next call */
    frit_report report;
    char message[256];
    struct frit_host *host;              /* streams and numbers of a program with requests; null until the first one */
    void (*dismiss)(frit_context *, bool); /* ends what `host` holds: for a run, or for good */
    const char *input;                   /* what stands for standard input; null for that of the process */
    size_t input_size;
    frit_sink sink; /* where output goes; null for standard output */
    void *sink_state;
    frit_caller caller; /* makes calls of functions that are not compiled; null if there is nobody */
    void *caller_state;
    frit_asker asker; /* says whether to end the run; null if nobody does */
    void *asker_state;
    int64_t asked; /* when it was asked */
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

FRIT_RUNTIME FRIT_COLD int frit_out_of_memory(frit_worker *w, int site, int64_t bytes);

FRIT_RUNTIME FRIT_COLD int frit_fail(frit_worker *w, int site, int kind, int64_t first, int64_t second);

/* Calls a function that is not compiled, or takes a result of it. */
FRIT_RUNTIME int frit_call_back(frit_worker *w, int site, int kind, int number, const frit_place *places, int count,
                                uint64_t *answers, int answer_count);

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

/* Gives a buffer without owners to a bin, or back to the system when the bins hold enough. */
FRIT_RUNTIME void frit_recycle(frit_worker *w, frit_buffer *b);

/* A new buffer for `count` elements, or null after noting the failure. */
FRIT_RUNTIME frit_buffer *frit_allocate(frit_worker *w, int site, int64_t count, int64_t size);

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

/* True if a loop with this many scalar operations may run on several threads: if those save enough. Parallel loops never nest.
   Small work is told without a division, which takes as long as a small loop. */
static inline bool frit_parallel(const frit_worker *w, int64_t work) {
    const int threads = w->context->threads;
    return threads > 1 && work > FRIT_REGION_WORK && work - work / threads >= FRIT_REGION_WORK && !omp_in_parallel();
}

/* Before the threads of a team begin: sees that each has a processor. When the system wakes a thread up, it often puts it on the processor of another
   one that waits for it, and keeps it waiting there for milliseconds. */
FRIT_RUNTIME bool frit_gather(frit_worker *w);

/* Chooses for a loop that saves enough by the estimate. */
FRIT_RUNTIME bool frit_choose(frit_worker *w, frit_choice *choice, int64_t region_work);
FRIT_RUNTIME void frit_note_time(frit_worker *w, frit_choice *choice);

/* What is known of a loop with this number, or null if this run of it has to stay on one thread by the estimate. A loop may run over
   arrays of many sizes, as those of multigrid methods do: runs with up to four times the work share what is known. */
static inline frit_choice *frit_choice_of(const frit_worker *w, int number, int64_t work) {
    if (!frit_parallel(w, work)) return NULL;
    const int size = (63 - __builtin_clzll((unsigned long long)(work / (FRIT_REGION_WORK + 1)))) / 2;
    frit_choice *choice = &w->context->choices[FRIT_CHOICES * number + (size < FRIT_CHOICES ? size : FRIT_CHOICES - 1)];
    choice->work = work;
    return choice;
}

/* True if the loop should run on several threads: by the estimate, then by what it took before. Every run ends with `frit_note`. */
static inline bool frit_team(frit_worker *w, frit_choice *choice) {
    return choice != NULL && (w->context->by_estimate ? frit_gather(w) : frit_choose(w, choice, FRIT_REGION_WORK));
}

static inline void frit_note(frit_worker *w, frit_choice *choice) {
    if (choice != NULL && choice->began != 0) frit_note_time(w, choice);
}

/* Some of the iterations of a loop: those from `from` to `to`. */
typedef struct {
    int64_t from, to;
} frit_range;

/* The share of the current thread of a team: as many units of iterations as the others have, or one more. */
static inline frit_range frit_share_of_loop(int64_t from, int64_t to, int64_t unit) {
    const int64_t members = omp_get_num_threads(), member = omp_get_thread_num();
    const int64_t units = to > from ? (to - from - 1) / unit + 1 : 0;
    const int64_t each = units / members, more = units % members;
    const int64_t first = member * each + (member < more ? member : more);
    const int64_t begin = from + first * unit, end = begin + (each + (member < more)) * unit;
    return (frit_range){begin, end < to ? end : to};
}

/* How far a thread goes at a time in a loop whose iterations differ in work: over a sixteenth of its share. */
static inline int64_t frit_portion(const frit_worker *w, int64_t from, int64_t to, int64_t step) {
    const int64_t iterations = (to - from) / step / 16 / w->context->threads;
    return (iterations > 1 ? iterations : 1) * step;
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
FRIT_RUNTIME FRIT_COLD void frit_stop(frit_worker *w, frit_region *region, int64_t iteration);

FRIT_RUNTIME FRIT_COLD int frit_fail_region(frit_worker *w, const frit_region *region);

/* Several threads reach the bandwidth of memory, one does not. */
FRIT_RUNTIME FRIT_NOINLINE void frit_copy_large(char *restrict target, const char *restrict source, int64_t bytes,
                                                int threads);

/* Copies elements; the ranges do not overlap. */
static inline void frit_copy(const frit_worker *w, void *restrict target, const void *restrict source, int64_t count,
                             int64_t size) {
    if (count <= 0) return;
    if (count > (4 << 20) / size) {
        const int64_t bytes = count * size;
        frit_copy_large(target, source, bytes, frit_parallel(w, bytes / 8) ? w->context->threads : 1);
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
FRIT_RUNTIME frit_buffer *frit_clone(frit_worker *w, int site, const void *elements, int64_t count, int64_t size);

/* Hands an array over, sharing its memory if that is counted, else as a copy. */
FRIT_RUNTIME int frit_share(frit_worker *w, int site, frit_handover *result, const void *elements, frit_buffer *owner,
                            int64_t count, int64_t size);

/* Hands an array over with its ownership, or as a copy if its memory is not counted. */
static inline int frit_hand_over(frit_worker *w, int site, frit_handover *result, const void *elements,
                                 frit_buffer *owner, int64_t count, int64_t size) {
    if (owner == NULL) return frit_share(w, site, result, elements, owner, count, size);
    result->elements = (void *)elements;
    result->owner = owner;
    return 0;
}

/* The end of the stack that recursion may use in this thread: not all of it, and no more than 256 MiB. */
FRIT_RUNTIME FRIT_COLD char *frit_find_stack_limit(void);

/* True, and noted as a failure, if a frame of this size no longer fits. Called by procedures that may recurse. */
static inline bool frit_is_too_deep(frit_worker *w, int site, size_t frame) {
    if (w->stack_limit == NULL) w->stack_limit = frit_find_stack_limit();
    if (FRIT_LIKELY((char *)__builtin_frame_address(0) - frame > w->stack_limit)) return false;
    w->failure = (frit_report){.status = FRIT_RECURSION_TOO_DEEP, .site = site};
    return true;
}

FRIT_RUNTIME int64_t frit_clock(void);

/* A clock that is read within nanoseconds, and how often the caller is asked by it: some ten times a second. */
#if defined(__x86_64__)
#define FRIT_TICKS() ((int64_t)__builtin_ia32_rdtsc())
#define FRIT_ASK_TICKS (1 << 27)
#else
#define FRIT_TICKS() frit_clock()
#define FRIT_ASK_TICKS 50000000
#endif

FRIT_RUNTIME FRIT_COLD bool frit_ask(frit_worker *w, int site);

/* True, and noted as a failure, if the caller wants the run to end. */
static inline bool frit_is_interrupted(frit_worker *w, int site) {
    const int64_t asked = __atomic_load_n(&w->context->asked, __ATOMIC_RELAXED);
    return FRIT_UNLIKELY(FRIT_TICKS() - asked > FRIT_ASK_TICKS) && frit_ask(w, site);
}

FRIT_RUNTIME frit_context *frit_open(int threads, int choices);

FRIT_RUNTIME void frit_close(frit_context *c);

/* Begins a call: memory that the caller has released is there to be used again. */
FRIT_RUNTIME frit_worker *frit_begin(frit_context *c);

/* Moves a result out of the context's care, into that of the caller. */
FRIT_RUNTIME void frit_give(frit_buffer *b);

/* Ends a call. Whatever is still alive was left behind by a failure, or is a leak; either way it goes. */
FRIT_RUNTIME int frit_end(frit_context *c, int failed);

/* The caller gives up a result. Any thread may do so, also during a call. */
FRIT_RUNTIME void frit_give_back(frit_context *c, frit_buffer *b);
