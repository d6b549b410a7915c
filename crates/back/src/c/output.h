
/* ---- output ---- */

/* Appends characters. */
FRIT_RUNTIME int frit_put(frit_worker *w, int site, const char *text, size_t length);
/* Appends what printf makes. */
FRIT_RUNTIME int __attribute__((format(printf, 3, 4))) frit_print(frit_worker *w, int site, const char *format, ...);
/* Appends code points as UTF-8, at most `most` of them, padded with blanks to `width`: on the right if it is negative. */
FRIT_RUNTIME int frit_put_codes(frit_worker *w, int site, const uint32_t *codes, int64_t count, int64_t most,
                                int64_t width);
/* Hands the text over. */
FRIT_RUNTIME int frit_write(frit_worker *w);

/* A real for printf; which sign a NaN has is left open, so none is shown. */
static inline double frit_shown(double x) {
    return x == x ? x : __builtin_nan("");
}
