
/* ---- what programs ask of their machine ---- */

/* Hands the text at hand over to a stream: 1 is standard output, 2 standard error, larger numbers are files. */
FRIT_RUNTIME int frit_write_to(frit_worker *w, int64_t stream);
/* Answers to requests, see `Request` in the compiler. A failure of the system is its number, negated. */
FRIT_RUNTIME int64_t frit_ask_peek(frit_worker *w, int64_t stream, int64_t ahead);
FRIT_RUNTIME int64_t frit_ask_skip(frit_worker *w, int64_t stream, int64_t count);
FRIT_RUNTIME int64_t frit_ask_unread(frit_worker *w, int64_t stream, int64_t code);
FRIT_RUNTIME int64_t frit_ask_open(frit_worker *w, const uint32_t *name, int64_t name_size, const uint32_t *mode,
                                   int64_t mode_size);
FRIT_RUNTIME int64_t frit_ask_read(frit_worker *w, const uint32_t *text, int64_t size);
FRIT_RUNTIME int64_t frit_ask_mantissa(frit_worker *w, const uint32_t *text, int64_t size);
FRIT_RUNTIME int64_t frit_ask_exponent(frit_worker *w, const uint32_t *text, int64_t size);
FRIT_RUNTIME int64_t frit_ask_close(frit_worker *w, int64_t stream);
FRIT_RUNTIME int64_t frit_ask_flush(frit_worker *w, int64_t stream);
FRIT_RUNTIME int64_t frit_ask_seek(frit_worker *w, int64_t stream, int64_t offset, int64_t base);
FRIT_RUNTIME int64_t frit_ask_tell(frit_worker *w, int64_t stream);
FRIT_RUNTIME int64_t frit_ask_remove(frit_worker *w, const uint32_t *name, int64_t name_size);
FRIT_RUNTIME int64_t frit_ask_clock(frit_worker *w, int64_t which);
FRIT_RUNTIME int64_t frit_ask_load(frit_worker *w, int64_t number);
FRIT_RUNTIME int64_t frit_ask_store(frit_worker *w, int64_t number, int64_t value);
FRIT_RUNTIME int64_t frit_ask_extent(frit_worker *w, int64_t number, int64_t axis);
/* Keeps a scalar, whose rank is 0, or an array in the cell of this number; 1 if there is no memory for it. */
FRIT_RUNTIME int frit_keep(frit_worker *w, int site, int64_t number, int64_t rank, const int64_t *extents,
                           const void *elements, size_t bytes);
/* Fills memory with what the cell holds, and zeros behind it. */
FRIT_RUNTIME void frit_recall(frit_worker *w, int64_t number, void *to, size_t bytes);
