
/* ---- the functions of output ---- */

static void frit_to_stdout(void *state, const char *text, size_t length) {
    (void)state;
    fwrite(text, 1, length, stdout);
}

/* Room behind the text at hand, or null after noting the failure. */
static char *frit_room(frit_worker *w, int site, size_t more) {
    frit_context *c = w->context;
    /* A first text may be empty: it gets room all the same, as null is a failure. */
    if (c->text == NULL || more > c->text_capacity - c->text_used) {
        size_t wanted = c->text_used + more;
        size_t capacity = wanted < 4096 ? 4096 : wanted + wanted / 2;
        char *text = wanted < more || capacity < wanted ? NULL : realloc(c->text, capacity);
        if (text == NULL) {
            frit_out_of_memory(w, site, (int64_t)more);
            return NULL;
        }
        c->text = text;
        c->text_capacity = capacity;
    }
    return c->text + c->text_used;
}

FRIT_RUNTIME int frit_put(frit_worker *w, int site, const char *text, size_t length) {
    char *room = frit_room(w, site, length);
    if (room == NULL) return 1;
    memcpy(room, text, length);
    w->context->text_used += length;
    return 0;
}

FRIT_RUNTIME int frit_print(frit_worker *w, int site, const char *format, ...) {
    for (size_t more = 128;;) {
        char *room = frit_room(w, site, more);
        if (room == NULL) return 1;
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(room, more, format, arguments);
        va_end(arguments);
        if (length < 0) return frit_out_of_memory(w, site, INT32_MAX);
        if ((size_t)length < more) {
            w->context->text_used += (size_t)length;
            return 0;
        }
        more = (size_t)length + 1;
    }
}

FRIT_RUNTIME int frit_put_codes(frit_worker *w, int site, const uint32_t *codes, int64_t count, int64_t most,
                                int64_t width) {
    if (count > most) count = most;
    if (count < 0) count = 0;
    int64_t blanks = (width < 0 ? -width : width) - count;
    if (blanks < 0) blanks = 0;
    char *room = frit_room(w, site, 4 * (size_t)count + (size_t)blanks);
    if (room == NULL) return 1;
    char *at = room;
    if (width > 0) at = (char *)memset(at, ' ', (size_t)blanks) + blanks;
    for (int64_t i = 0; i < count; i++) {
        uint32_t code = codes[i];
        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
        if (code < 0x80) {
            *at++ = (char)code;
        } else if (code < 0x800) {
            *at++ = (char)(0xc0 | code >> 6);
            *at++ = (char)(0x80 | (code & 0x3f));
        } else if (code < 0x10000) {
            *at++ = (char)(0xe0 | code >> 12);
            *at++ = (char)(0x80 | (code >> 6 & 0x3f));
            *at++ = (char)(0x80 | (code & 0x3f));
        } else {
            *at++ = (char)(0xf0 | code >> 18);
            *at++ = (char)(0x80 | (code >> 12 & 0x3f));
            *at++ = (char)(0x80 | (code >> 6 & 0x3f));
            *at++ = (char)(0x80 | (code & 0x3f));
        }
    }
    if (width < 0) at = (char *)memset(at, ' ', (size_t)blanks) + blanks;
    w->context->text_used += (size_t)(at - room);
    return 0;
}

FRIT_RUNTIME int frit_write(frit_worker *w) {
    frit_context *c = w->context;
    if (c->sink == NULL) {
        frit_to_stdout(NULL, c->text, c->text_used);
    } else {
        c->sink(c->sink_state, c->text, c->text_used);
    }
    c->text_used = 0;
    return 0;
}
