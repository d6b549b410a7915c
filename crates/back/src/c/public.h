/* What a caller needs to know of the run-time system. */
typedef struct frit_context frit_context;
typedef struct frit_buffer frit_buffer;

/* One argument of the general entry point. */
typedef struct {
    const void *elements; /* of an array, row-major; or where the scalar is */
    const int64_t *shape; /* the extents of an array */
    int32_t given;        /* of a consumed parameter: one of the FRIT_ codes below */
} frit_argument;

/* Whether the callee may overwrite the elements of an argument; whether results may be left there, without an owner. */
enum { FRIT_ONLY_READ = 0, FRIT_OVERWRITE = 1, FRIT_IN_PLACE = 2 };

/* One result of the general entry point. */
typedef struct {
    void *elements;     /* of an array, row-major; until its owner is released */
    int64_t *shape;     /* the caller's, one extent per axis; filled in */
    frit_buffer *owner; /* what to release; null if they are where an argument was */
    uint64_t scalar;    /* the bytes of a scalar result */
} frit_result;

/* Takes what the program writes, piece by piece. */
typedef void (*frit_sink)(void *state, const char *text, size_t length);

/* An argument of a function that is not compiled: where it is, its extents, and the number of its element type among Frit's. */
typedef struct {
    void *elements;
    const int64_t *shape;
    int32_t rank;
    int32_t elem;
} frit_place;

/* Calls the function of this number, or takes result `-1 - number` of the last call to the place; 0 if that went well. */
typedef int (*frit_caller)(void *state, int32_t number, const frit_place *places, int32_t count, uint64_t *answers,
                           int32_t answer_count);
/* Whether the caller wants the run to end. Loops ask some times a second, of programs that are compiled to do so. */
typedef bool (*frit_asker)(void *state);

/* How the last call went. */
typedef struct {
    int32_t status;      /* one of the FRIT_ codes below */
    int32_t kind;        /* of a failed check: its number in the table of kinds */
    int32_t site;        /* where: its number in the table of places; -1 if nowhere */
    int32_t leaked;      /* buffers that the program neither released nor returned; freed by the call */
    int64_t numbers[2];  /* of a failed check: the numbers of its message */
    int64_t bytes;       /* of exhausted memory: how many were asked for */
    int64_t nanoseconds; /* the duration of the program itself, without the passing of arguments */
} frit_report;

enum { FRIT_OK = 0, FRIT_CHECK_FAILED = 1, FRIT_OUT_OF_MEMORY = 2, FRIT_RECURSION_TOO_DEEP = 3, FRIT_INTERRUPTED = 4 };
