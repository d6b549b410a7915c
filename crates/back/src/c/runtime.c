/* ---- the larger functions of the run-time system ---- */

FRIT_RUNTIME int frit_out_of_memory(frit_worker *w, int site, int64_t bytes) {
    w->failure = (frit_report){.status = FRIT_OUT_OF_MEMORY, .site = site, .bytes = bytes};
    return 1;
}

FRIT_RUNTIME int frit_fail(frit_worker *w, int site, int kind, int64_t first, int64_t second) {
    w->failure = (frit_report){.status = FRIT_CHECK_FAILED, .site = site, .kind = kind, .numbers = {first, second}};
    return 1;
}

FRIT_RUNTIME int frit_call_back(frit_worker *w, int site, int kind, int number, const frit_place *places, int count,
                                uint64_t *answers, int answer_count) {
    frit_context *c = w->context;
    if (c->caller != NULL && c->caller(c->caller_state, number, places, count, answers, answer_count) == 0) return 0;
    return frit_fail(w, site, kind, 0, 0);
}

static void frit_dispose(frit_buffer *b) {
    free(b->memory);
    free(b);
}

FRIT_RUNTIME void frit_recycle(frit_worker *w, frit_buffer *b) {
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
static frit_buffer *frit_obtain(frit_worker *w, size_t bytes) {
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

FRIT_RUNTIME frit_buffer *frit_allocate(frit_worker *w, int site, int64_t count, int64_t size) {
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

FRIT_RUNTIME void frit_stop(frit_worker *w, frit_region *region, int64_t iteration) {
    pthread_mutex_lock(&w->context->lock);
    if (iteration < region->iteration) {
        region->failure = w->failure;
        __atomic_store_n(&region->iteration, iteration, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&w->context->lock);
}

FRIT_RUNTIME int frit_fail_region(frit_worker *w, const frit_region *region) {
    w->failure = region->failure;
    return 1;
}

FRIT_RUNTIME void frit_copy_large(char *restrict target, const char *restrict source, int64_t bytes, int threads) {
    const int64_t block = 1 << 20;
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if(threads > 1)
    for (int64_t at = 0; at < bytes; at += block) {
        memcpy(target + at, source + at, (size_t)(bytes - at < block ? bytes - at : block));
    }
}

FRIT_RUNTIME frit_buffer *frit_clone(frit_worker *w, int site, const void *elements, int64_t count, int64_t size) {
    frit_buffer *b = frit_allocate(w, site, count, size);
    if (b != NULL) frit_copy(w, b->elements, elements, count, size);
    return b;
}

FRIT_RUNTIME int frit_share(frit_worker *w, int site, frit_handover *result, const void *elements, frit_buffer *owner,
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

FRIT_RUNTIME char *frit_find_stack_limit(void) {
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

FRIT_RUNTIME int64_t frit_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

FRIT_RUNTIME bool frit_ask(frit_worker *w, int site) {
    frit_context *c = w->context;
    __atomic_store_n(&c->asked, FRIT_TICKS(), __ATOMIC_RELAXED);
    if (c->asker == NULL || omp_in_parallel() || !c->asker(c->asker_state)) return false;
    w->failure = (frit_report){.status = FRIT_INTERRUPTED, .site = site};
    return true;
}

#if defined __linux__ && defined _OPENMP
/* The threads of this thread's team that have processors of their own, and the processor that none of the others has, or -1. */
static _Thread_local int frit_spread_threads, frit_home = -1;

/* The processor with this number among those that a thread may use. */
static int frit_processor(const cpu_set_t *allowed, int number) {
    for (int at = 0; at < CPU_SETSIZE; at++) {
        if (CPU_ISSET(at, allowed) && number-- == 0) return at;
    }
    return -1;
}

static bool frit_move(int processor) {
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(processor, &own);
    return sched_setaffinity(0, sizeof own, &own) == 0;
}

/* Gives each thread of a team that takes all processors one of its own, but for the first thread, which is the caller's. */
static void frit_spread(int threads) {
    cpu_set_t allowed;
    frit_spread_threads = threads;
    frit_home = -1;
    if (omp_get_proc_bind() != omp_proc_bind_false || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    if (CPU_COUNT(&allowed) != threads) return;
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() > 0) frit_move(frit_processor(&allowed, omp_get_thread_num()));
    frit_home = frit_processor(&allowed, 0);
}
#endif

FRIT_RUNTIME bool frit_gather(frit_worker *w) {
#if defined __linux__ && defined _OPENMP
    if (frit_spread_threads != w->context->threads) {
        frit_spread(w->context->threads);
    } else if (frit_home >= 0 && sched_getcpu() != frit_home) {
        /* It moves, but may leave again. */
        cpu_set_t allowed;
        if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && frit_move(frit_home)) sched_setaffinity(0, sizeof allowed, &allowed);
    }
#endif
    return true;
}

/* A trial takes so many runs, of which the first do not count: threads start or wake, and arrays move to other caches. */
enum { FRIT_TRIAL = 4, FRIT_UNCOUNTED = 2 };
/* Of all time, one part in so many may be lost by trials: the first number at first, the other where they found nothing better. */
enum { FRIT_PATIENCE = 64, FRIT_MOST_PATIENCE = 1024 };
/* How long a thread waits for a processor that another program has, in nanoseconds. */
enum { FRIT_SLICE = 4000000 };
/* So long a trial takes at least on a busy machine, in nanoseconds: a shorter one may fall between two waits. */
enum { FRIT_BUSY_TRIAL = 24000000 };
/* Averages are over so many nanoseconds, and over so many runs at least. */
enum { FRIT_AVERAGED = 50000000, FRIT_AVERAGED_RUNS = 16 };
/* A machine is quiet when so many looks in a row find processors free. */
enum { FRIT_QUIET_LOOKS = 3 };
/* No run counts for more than so many times as long as usual. */
enum { FRIT_UNUSUAL = 2 };
/* Runs on one thread that take less than so many nanoseconds are timed once in so many: a look at the clock takes 30 of them and more. */
enum { FRIT_SHORT = 50000, FRIT_TIMED = 16 };

/* True if other programs keep all processors busy: there are more threads that could run than processors. */
static bool frit_is_busy(frit_context *c) {
#ifdef __linux__
    const int64_t now = frit_clock();
    if (c->looked != 0 && now - c->looked < 10000000) return c->is_busy;
    c->looked = now;
    FILE *file = fopen("/proc/loadavg", "r");
    int running = 0;
    if (file == NULL) return false;
    c->is_busy = fscanf(file, "%*s %*s %*s %d", &running) == 1 && running > sysconf(_SC_NPROCESSORS_ONLN);
    c->quiet_looks = c->is_busy ? 0 : c->quiet_looks + 1;
    fclose(file);
#endif
    return c->is_busy;
}

/* Threads pay if they are so many times as fast as one. What they gain is lost again by neighbours that run on one thread, and find half of their
   arrays in other caches. */
static const double FRIT_PAYING = 1.2;

/* True if threads pay, by the times of an operation. */
static bool frit_pays(const frit_choice *choice) {
    return choice->team * FRIT_PAYING < choice->alone;
}

/* Nanoseconds that a trial of the other way is expected to lose. */
static double frit_expected_loss(const frit_worker *w, const frit_choice *choice, double operations) {
    /* Threads save no more than their number says, so one thread is tried at once where they are slow; of threads that were not tried yet nothing is
       known. */
    const double alone = choice->alone > 0 ? choice->alone : w->context->threads * choice->best;
    if (choice->team == 0) {
        const double run = operations * alone;
        return FRIT_TRIAL * (run > FRIT_SLICE ? run : FRIT_SLICE);
    }
    const double gain = choice->team - alone;
    if (choice->alone == 0 && gain > 0) return 0;
    const double apart = gain > 0 ? gain : -gain;
    const double tried = choice->prefers_team ? alone : choice->team, trial = FRIT_TRIAL * operations * tried;
    /* As it was at the last look; a trial looks again. */
    return (trial < FRIT_BUSY_TRIAL && w->context->is_busy ? FRIT_BUSY_TRIAL : trial) * apart / tried;
}

/* True if a run is so short, on one thread, that only some are timed. */
static bool frit_is_short(const frit_choice *choice) {
    return choice->trial == 0 && !choice->prefers_team && (double)choice->work * choice->alone < FRIT_SHORT;
}

FRIT_RUNTIME bool frit_choose(frit_worker *w, frit_choice *choice, int64_t region_work) {
    const int64_t work = choice->work;
    if (choice->patience > 0 && frit_is_short(choice) && ++choice->untimed < FRIT_TIMED) return choice->is_team = false;
    if (choice->patience == 0) {
        /* The first runs are a trial too. A loop that takes longer than a few slices loses little to one. */
        choice->patience = FRIT_PATIENCE;
        choice->prefers_team = work / 1024 > region_work || !frit_is_busy(w->context);
        choice->trial = 1;
        choice->is_team = choice->prefers_team;
    } else if (choice->trial == 0) {
        choice->loss = frit_expected_loss(w, choice, (double)work);
        const bool is_small = work / 4 < region_work && choice->alone == 0;
        /* Threads were not tried since the machine was busy at first, which it no longer is. One look may fall between two programs. */
        const bool is_quiet = choice->team == 0 && !frit_is_busy(w->context) && w->context->quiet_looks >= FRIT_QUIET_LOOKS;
        choice->is_team = choice->prefers_team;
        if (choice->savings >= choice->loss || is_small || is_quiet) {
            choice->trial = 1;
            choice->spent = choice->sum = choice->counted = 0;
            choice->is_team = !choice->prefers_team;
        }
    }
    choice->began = frit_clock();
    return choice->is_team && frit_gather(w);
}

/* The time of a run as it counts: one that takes many times as long as usual, though the machine is not busy, was preempted or had to wake threads, and
   says little about the next. If many do, the loop has got other arrays. */
static double frit_counted(frit_context *c, const frit_choice *choice, double each) {
    const double untried = choice->is_team ? 0 : c->threads * choice->best;
    const double known = choice->is_team ? choice->team : choice->alone, usual = known > 0 ? known : untried;
    return usual == 0 || each <= FRIT_UNUSUAL * usual || frit_is_busy(c) ? each : FRIT_UNUSUAL * usual;
}

FRIT_RUNTIME void frit_note_time(frit_worker *w, frit_choice *choice) {
    const double elapsed = (double)(frit_clock() - choice->began), operations = (double)choice->work;
    const double each = frit_counted(w->context, choice, elapsed / operations);
    choice->began = 0;
    const int runs_alike = frit_is_short(choice) ? FRIT_TIMED : 1;
    choice->untimed = 0;
    double *mean = choice->is_team ? &choice->team : &choice->alone;
    if (choice->is_team && choice->trial != 1 && (choice->best == 0 || each < choice->best)) choice->best = each;
    if (choice->trial == 0) {
        const double runs = FRIT_AVERAGED / (operations * *mean);
        *mean += (each - *mean) / (runs > FRIT_AVERAGED_RUNS ? runs : FRIT_AVERAGED_RUNS);
        choice->savings += runs_alike * elapsed / choice->patience;
        const double other = choice->is_team ? choice->alone : choice->team;
        if (other > 0 && frit_pays(choice) != choice->prefers_team) {
            /* The machine has become busy, or has become quiet. */
            choice->prefers_team = !choice->prefers_team;
            choice->patience = FRIT_PATIENCE;
            choice->savings = 0;
        }
        return;
    }
    const double usual = choice->is_team ? choice->alone : choice->team;
    choice->spent += elapsed - operations * usual;
    if (choice->trial > FRIT_UNCOUNTED) {
        choice->sum += each * operations;
        choice->counted += operations;
    }
    if (choice->trial < FRIT_TRIAL || (choice->sum < FRIT_BUSY_TRIAL && frit_is_busy(w->context))) {
        choice->trial++;
        return;
    }
    choice->trial = 0;
    *mean = choice->sum / choice->counted;
    if (usual == 0) return;
    if (frit_pays(choice) != choice->prefers_team) {
        choice->prefers_team = !choice->prefers_team;
        choice->patience = FRIT_PATIENCE;
    } else if (choice->patience < FRIT_MOST_PATIENCE) {
        choice->patience *= 2;
    }
    /* All savings are spent; what was lost beyond them is made up for first. */
    choice->savings = choice->spent > choice->loss ? choice->loss - choice->spent : 0;
}

FRIT_RUNTIME frit_context *frit_open(int threads, int choices) {
    frit_context *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->threads = threads < 1 ? 1 : threads;
    const char *trials = getenv("FRIT_TRIALS");
    c->by_estimate = trials != NULL && strcmp(trials, "0") == 0;
    c->choices = calloc((size_t)choices * FRIT_CHOICES + 1, sizeof *c->choices);
    if (c->choices == NULL || posix_memalign((void **)&c->workers, FRIT_ALIGNMENT, (size_t)c->threads * sizeof *c->workers) != 0) {
        free(c->choices);
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

FRIT_RUNTIME void frit_close(frit_context *c) {
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
    if (c->host != NULL) c->dismiss(c, true);
    pthread_mutex_destroy(&c->lock);
    free(c->text);
    free(c->workers);
    free(c->choices);
    free(c);
}

FRIT_RUNTIME frit_worker *frit_begin(frit_context *c) {
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
    c->asked = FRIT_TICKS();
    return w;
}

FRIT_RUNTIME void frit_give(frit_buffer *b) {
    if (b->previous != NULL) {
        frit_unlink(b);
        b->previous = NULL;
    }
}

FRIT_RUNTIME int frit_end(frit_context *c, int failed) {
    if (failed) {
        c->report = c->workers[0].failure;
    }
#ifdef __SSE2__
    /* Stores past the caches are done before anything that the caller stores. */
    __builtin_ia32_sfence();
#endif
    /* What is written about a failure comes after what the program wrote before it. */
    if (c->text != NULL && c->sink == NULL) fflush(stdout);
    if (c->host != NULL) c->dismiss(c, false);
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

FRIT_RUNTIME void frit_give_back(frit_context *c, frit_buffer *b) {
    if (b == NULL || __atomic_sub_fetch(&b->owners, 1, __ATOMIC_ACQ_REL) != 0) return;
    pthread_mutex_lock(&c->lock);
    b->next = c->returned;
    c->returned = b;
    pthread_mutex_unlock(&c->lock);
}
