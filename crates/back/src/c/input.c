
/* ---- the answers to what programs ask ---- */

enum { FRIT_STREAMS = 256, FRIT_NUMBERS = 16, FRIT_REPLACEMENT = 0xfffd };

/* A stream, with the characters that were read ahead of the program. */
typedef struct {
    FILE *file; /* null for a text, all of which is ahead */
    bool is_open;
    uint32_t *ahead;
    size_t first, end, capacity;
} frit_stream_state;

/* What a program keeps in a cell: the extents of an array, and behind them the elements. */
typedef struct {
    char *block;
    int64_t rank;
    size_t bytes, capacity; /* of the elements; of the block */
} frit_cell;

struct frit_host {
    frit_stream_state streams[FRIT_STREAMS];
    int64_t numbers[FRIT_NUMBERS];
    frit_cell *cells;
    int64_t cell_count;
    size_t taken; /* of the text that stands for standard input */
};

static void frit_forget(frit_stream_state *s) {
    free(s->ahead);
    *s = (frit_stream_state){0};
}

/* Ends a run: its files are closed, its numbers forgotten. Characters of standard input stay for the next run. */
static void frit_dismiss(frit_context *c, bool for_good) {
    frit_host *host = c->host;
    for (int at = 3; at < FRIT_STREAMS; at++) {
        if (host->streams[at].file != NULL) fclose(host->streams[at].file);
        frit_forget(&host->streams[at]);
    }
    memset(host->numbers, 0, sizeof host->numbers);
    for (int64_t at = 0; at < host->cell_count; at++) free(host->cells[at].block);
    free(host->cells);
    host->cells = NULL, host->cell_count = 0;
    if (for_good) {
        frit_forget(&host->streams[0]);
        free(host);
    }
}

static frit_host *frit_hosted(frit_worker *w) {
    frit_context *c = w->context;
    if (c->host == NULL) {
        c->host = calloc(1, sizeof *c->host);
        c->dismiss = frit_dismiss;
    }
    return c->host;
}

/* The stream of this number, or null. */
static frit_stream_state *frit_stream_of(frit_worker *w, int64_t stream) {
    frit_host *host = frit_hosted(w);
    if (host == NULL || stream < 0 || stream >= FRIT_STREAMS) return NULL;
    frit_stream_state *s = &host->streams[stream];
    if (stream == 0) s->file = stdin, s->is_open = true;
    return s->is_open ? s : NULL;
}

static int frit_byte(frit_worker *w, frit_stream_state *s) {
    frit_context *c = w->context;
    if (s->file != stdin || c->input == NULL) return getc(s->file);
    return c->host->taken < c->input_size ? (unsigned char)c->input[c->host->taken++] : EOF;
}

static void frit_byte_back(frit_worker *w, frit_stream_state *s, int byte) {
    if (byte == EOF) return;
    if (s->file != stdin || w->context->input == NULL) ungetc(byte, s->file);
    else w->context->host->taken--;
}

/* The next character of UTF-8, or -1 at the end. What is none becomes the replacement character. */
static int64_t frit_decode(frit_worker *w, frit_stream_state *s) {
    if (s->file == NULL) return -1;
    int lead = frit_byte(w, s);
    if (lead == EOF) return -1;
    if (lead < 0x80) return lead;
    if (lead < 0xc2 || lead > 0xf4) return FRIT_REPLACEMENT;
    int more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    int least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    int most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    int64_t code = lead & (0x3f >> more);
    for (; more > 0; more--, least = 0x80, most = 0xbf) {
        int byte = frit_byte(w, s);
        if (byte < least || byte > most) {
            frit_byte_back(w, s, byte);
            return FRIT_REPLACEMENT;
        }
        code = code << 6 | (byte & 0x3f);
    }
    return code;
}

/* Room for one more character; false if there is none. */
static bool frit_widen(frit_stream_state *s) {
    if (s->end < s->capacity) return true;
    if (s->first > s->capacity / 2) {
        memmove(s->ahead, s->ahead + s->first, (s->end - s->first) * sizeof *s->ahead);
        s->end -= s->first;
        s->first = 0;
        return true;
    }
    size_t capacity = s->capacity < 64 ? 64 : 2 * s->capacity;
    uint32_t *ahead = realloc(s->ahead, capacity * sizeof *ahead);
    if (ahead == NULL) return false;
    s->ahead = ahead;
    s->capacity = capacity;
    return true;
}

FRIT_RUNTIME int64_t frit_ask_peek(frit_worker *w, int64_t stream, int64_t ahead) {
    frit_stream_state *s = frit_stream_of(w, stream);
    if (s == NULL) return -1;
    size_t wanted = ahead < 0 ? 0 : (size_t)ahead;
    while (s->end - s->first <= wanted) {
        int64_t code = frit_widen(s) ? frit_decode(w, s) : -1;
        if (code < 0) return -1;
        s->ahead[s->end++] = (uint32_t)code;
    }
    return s->ahead[s->first + wanted];
}

FRIT_RUNTIME int64_t frit_ask_skip(frit_worker *w, int64_t stream, int64_t count) {
    int64_t skipped = 0;
    while (skipped < count && frit_ask_peek(w, stream, 0) >= 0) {
        frit_stream_state *s = &w->context->host->streams[stream];
        s->first++;
        skipped++;
        if (s->first == s->end) s->first = s->end = 0;
    }
    return skipped;
}

FRIT_RUNTIME int64_t frit_ask_unread(frit_worker *w, int64_t stream, int64_t code) {
    frit_stream_state *s = frit_stream_of(w, stream);
    if (s == NULL) return -EBADF;
    if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return -EINVAL;
    if (s->first == 0) {
        if (!frit_widen(s)) return -ENOMEM;
        memmove(s->ahead + 1, s->ahead, s->end * sizeof *s->ahead);
        s->end++;
    } else {
        s->first--;
    }
    s->ahead[s->first] = (uint32_t)code;
    return 0;
}

/* How many bytes were read that the program has not taken. */
static long frit_unread_bytes(const frit_stream_state *s) {
    long bytes = 0;
    for (size_t at = s->first; at < s->end; at++) {
        bytes += s->ahead[at] < 0x80 ? 1 : s->ahead[at] < 0x800 ? 2 : s->ahead[at] < 0x10000 ? 3 : 4;
    }
    return bytes;
}

/* Goes back to where the program is. */
static int frit_settle(frit_stream_state *s) {
    if (s->file == NULL) return -1;
    long bytes = frit_unread_bytes(s);
    s->first = s->end = 0;
    return fseek(s->file, -bytes, SEEK_CUR);
}

FRIT_RUNTIME int frit_write_to(frit_worker *w, int64_t stream) {
    frit_context *c = w->context;
    if (stream == 1) return frit_write(w);
    if (stream == 2) {
        if (c->sink == NULL) fflush(stdout);
        fwrite(c->text, 1, c->text_used, stderr);
    } else if (stream > 2) {
        frit_stream_state *s = frit_stream_of(w, stream);
        if (s != NULL && s->file != NULL) {
            frit_settle(s);
            fwrite(c->text, 1, c->text_used, s->file);
        }
    }
    c->text_used = 0;
    return 0;
}

/* A text as UTF-8, to be freed; null if there is no memory. */
static char *frit_utf8(frit_worker *w, const uint32_t *codes, int64_t count) {
    frit_context *c = w->context;
    size_t before = c->text_used;
    char *text = NULL;
    if (frit_put_codes(w, -1, codes, count, INT64_MAX, 0) == 0) {
        size_t length = c->text_used - before;
        text = malloc(length + 1);
        if (text != NULL) {
            if (length > 0) memcpy(text, c->text + before, length);
            text[length] = 0;
        }
    }
    c->text_used = before;
    return text;
}

static int frit_free_stream(const frit_host *host) {
    int number = 3;
    while (number < FRIT_STREAMS && host->streams[number].is_open) number++;
    return number;
}

FRIT_RUNTIME int64_t frit_ask_read(frit_worker *w, const uint32_t *text, int64_t size) {
    frit_host *host = frit_hosted(w);
    if (host == NULL) return -ENOMEM;
    int number = frit_free_stream(host);
    if (number == FRIT_STREAMS) return -EMFILE;
    frit_stream_state *s = &host->streams[number];
    if (size > 0) {
        s->ahead = malloc((size_t)size * sizeof *s->ahead);
        if (s->ahead == NULL) return -ENOMEM;
        memcpy(s->ahead, text, (size_t)size * sizeof *s->ahead);
    }
    s->end = s->capacity = size < 0 ? 0 : (size_t)size;
    s->is_open = true;
    return number;
}

/* The number of a text as a mantissa below 2^53 and the exponent of 2. */
static int64_t frit_decompose(frit_worker *w, const uint32_t *text, int64_t size, int *exponent) {
    char *written = frit_utf8(w, text, size);
    double number = written == NULL ? 0 : strtod(written, NULL);
    free(written);
    *exponent = 2000;
    if (!isfinite(number)) return (int64_t)1 << 52;
    double fraction = frexp(number, exponent);
    *exponent -= 53;
    return (int64_t)ldexp(fraction, 53);
}

FRIT_RUNTIME int64_t frit_ask_mantissa(frit_worker *w, const uint32_t *text, int64_t size) {
    int exponent;
    return frit_decompose(w, text, size, &exponent);
}

FRIT_RUNTIME int64_t frit_ask_exponent(frit_worker *w, const uint32_t *text, int64_t size) {
    int exponent;
    frit_decompose(w, text, size, &exponent);
    return exponent;
}

FRIT_RUNTIME int64_t frit_ask_open(frit_worker *w, const uint32_t *name, int64_t name_size, const uint32_t *mode,
                                   int64_t mode_size) {
    frit_host *host = frit_hosted(w);
    if (host == NULL) return -ENOMEM;
    uint32_t kind = mode_size > 0 ? mode[0] : 0;
    bool updates = false;
    for (int64_t at = 0; at < mode_size; at++) updates |= mode[at] == '+';
    int number = frit_free_stream(host);
    if (number == FRIT_STREAMS) return -EMFILE;
    if (kind != 'r' && kind != 'w' && kind != 'a') return -EINVAL;
    char *path = frit_utf8(w, name, name_size);
    if (path == NULL) return -ENOMEM;
    const char *how = kind == 'r' ? (updates ? "r+" : "r") : kind == 'w' ? (updates ? "w+" : "w") : updates ? "a+" : "a";
    FILE *file = fopen(path, how);
    int error = errno;
    free(path);
    if (file == NULL) return -error;
    host->streams[number] = (frit_stream_state){.file = file, .is_open = true};
    return number;
}

FRIT_RUNTIME int64_t frit_ask_close(frit_worker *w, int64_t stream) {
    frit_stream_state *s = frit_stream_of(w, stream);
    if (stream < 3 || s == NULL) return -EBADF;
    int error = s->file == NULL || fclose(s->file) == 0 ? 0 : errno;
    frit_forget(s);
    return -error;
}

FRIT_RUNTIME int64_t frit_ask_flush(frit_worker *w, int64_t stream) {
    FILE *file = stream == 1 ? stdout : stream == 2 ? stderr : NULL;
    if (stream > 2) {
        frit_stream_state *s = frit_stream_of(w, stream);
        file = s == NULL ? NULL : s->file;
    }
    if (file == NULL || (stream == 1 && w->context->sink != NULL)) return 0;
    return fflush(file) == 0 ? 0 : -errno;
}

FRIT_RUNTIME int64_t frit_ask_seek(frit_worker *w, int64_t stream, int64_t offset, int64_t base) {
    frit_stream_state *s = frit_stream_of(w, stream);
    if (stream < 3 || s == NULL || s->file == NULL) return -EBADF;
    if (base < 0 || base > 2 || (base == 0 && offset < 0)) return -EINVAL;
    if (frit_settle(s) != 0) return -errno;
    return fseek(s->file, (long)offset, base == 0 ? SEEK_SET : base == 1 ? SEEK_CUR : SEEK_END) == 0 ? 0 : -errno;
}

FRIT_RUNTIME int64_t frit_ask_tell(frit_worker *w, int64_t stream) {
    frit_stream_state *s = frit_stream_of(w, stream);
    if (stream < 3 || s == NULL || s->file == NULL) return -EBADF;
    long at = ftell(s->file);
    return at < 0 ? -errno : at - frit_unread_bytes(s);
}

FRIT_RUNTIME int64_t frit_ask_remove(frit_worker *w, const uint32_t *name, int64_t name_size) {
    char *path = frit_utf8(w, name, name_size);
    if (path == NULL) return -ENOMEM;
    int error = unlink(path) == 0 ? 0 : errno;
    free(path);
    return -error;
}

FRIT_RUNTIME int64_t frit_ask_clock(frit_worker *w, int64_t which) {
    (void)w;
    if (which != 0) return frit_clock();
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

FRIT_RUNTIME int64_t frit_ask_load(frit_worker *w, int64_t number) {
    frit_host *host = frit_hosted(w);
    return host == NULL || number < 0 || number >= FRIT_NUMBERS ? 0 : host->numbers[number];
}

FRIT_RUNTIME int64_t frit_ask_store(frit_worker *w, int64_t number, int64_t value) {
    frit_host *host = frit_hosted(w);
    if (host == NULL || number < 0 || number >= FRIT_NUMBERS) return -EINVAL;
    host->numbers[number] = value;
    return 0;
}

/* ---- cells ---- */

/* The cell of this number, or null if nothing is kept there. */
static frit_cell *frit_cell_of(frit_worker *w, int64_t number) {
    frit_host *host = w->context->host;
    return host == NULL || number < 0 || number >= host->cell_count ? NULL : &host->cells[number];
}

FRIT_RUNTIME int frit_keep(frit_worker *w, int site, int64_t number, int64_t rank, const int64_t *extents,
                           const void *elements, size_t bytes) {
    frit_host *host = frit_hosted(w);
    if (host == NULL) return frit_out_of_memory(w, site, sizeof *host);
    if (number >= host->cell_count) {
        const size_t size = (size_t)(number + 1) * sizeof(frit_cell);
        frit_cell *more = realloc(host->cells, size);
        if (more == NULL) return frit_out_of_memory(w, site, (int64_t)size);
        memset(more + host->cell_count, 0, (size_t)(number + 1 - host->cell_count) * sizeof(frit_cell));
        host->cells = more, host->cell_count = number + 1;
    }
    frit_cell *cell = &host->cells[number];
    const size_t before = (size_t)rank * sizeof *extents, size = before + bytes;
    /* A block that is much too large is given back. */
    if (cell->capacity < size || cell->capacity / 4 > size) {
        char *block = malloc(size);
        if (block == NULL) return frit_out_of_memory(w, site, (int64_t)size);
        free(cell->block);
        cell->block = block, cell->capacity = size;
    }
    cell->rank = rank, cell->bytes = bytes;
    if (before > 0) memcpy(cell->block, extents, before);
    if (bytes > 0) memcpy(cell->block + before, elements, bytes);
    return 0;
}

FRIT_RUNTIME void frit_recall(frit_worker *w, int64_t number, void *to, size_t bytes) {
    const frit_cell *cell = frit_cell_of(w, number);
    const size_t kept = cell == NULL ? 0 : cell->bytes < bytes ? cell->bytes : bytes;
    if (kept > 0) memcpy(to, cell->block + (size_t)cell->rank * sizeof(int64_t), kept);
    if (bytes > kept) memset((char *)to + kept, 0, bytes - kept);
}

FRIT_RUNTIME int64_t frit_ask_extent(frit_worker *w, int64_t number, int64_t axis) {
    const frit_cell *cell = frit_cell_of(w, number);
    int64_t extent = 0;
    if (cell != NULL && axis >= 0 && axis < cell->rank) {
        memcpy(&extent, cell->block + (size_t)axis * sizeof extent, sizeof extent);
    }
    return extent;
}
