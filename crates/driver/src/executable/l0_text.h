/* Values as text, for executables made by `frit build`: reading arguments, writing results.
 *
 * A parameter's type is a string: i int, r real, b bool, c char, t cert, [T] array, {T,T} tuple,
 * e an empty tuple in an array. Arrays of tuples
 * are tuples of arrays, so a parameter has one column per basic type in it. A column's shape has one extent for every
 * bracket around its basic type; all elements of one bracket have one extent, or the array is irregular. */

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { L0_MAX_RANK = 64 };

typedef struct {
    char elem;
    int rank;
    int64_t shape[L0_MAX_RANK];
    void *data;
    size_t count, capacity;
} l0_column;

typedef struct {
    const char *name; /* of the parameter being read; null after the last */
    const char *text, *at, *end;
} l0_reader;

static void l0_fail(const l0_reader *in, const char *format, ...) {
    int line = 1, column = 1;
    for (const char *p = in->text; p < in->at; p++) {
        if (*p == '\n') line++, column = 1;
        else if (((unsigned char)*p & 0xC0) != 0x80) column++;
    }
    fprintf(stderr, "error[bad-input]: <stdin>:%d:%d: ", line, column);
    if (in->name) fprintf(stderr, "parameter `%s`: ", in->name);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static void *l0_grow(void *old, size_t bytes) {
    void *memory = realloc(old, bytes);
    if (!memory) {
        fputs("error[out-of-memory]: the input does not fit into memory\n", stderr);
        exit(1);
    }
    return memory;
}

static void l0_space(l0_reader *in) {
    for (;;) {
        while (in->at < in->end && isspace((unsigned char)*in->at)) in->at++;
        if (in->end - in->at >= 2 && in->at[0] == '/' && in->at[1] == '/') {
            while (in->at < in->end && *in->at != '\n') in->at++;
        } else return;
    }
}

static int l0_accept(l0_reader *in, char c) {
    l0_space(in);
    if (in->at < in->end && *in->at == c) {
        in->at++;
        return 1;
    }
    return 0;
}

static void l0_expect(l0_reader *in, char c) {
    if (!l0_accept(in, c)) l0_fail(in, "`%c` is expected here", c);
}

static int l0_word(l0_reader *in, const char *word) {
    size_t length = strlen(word);
    l0_space(in);
    if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length) != 0) return 0;
    if (in->at + length < in->end && (isalnum((unsigned char)in->at[length]) || in->at[length] == '_')) return 0;
    in->at += length;
    return 1;
}

static size_t l0_elem_bytes(char elem) { return elem == 'i' || elem == 'r' ? 8 : elem == 'c' ? 4 : 1; }

static void *l0_push(l0_column *column) {
    size_t bytes = l0_elem_bytes(column->elem);
    if (column->count == column->capacity) {
        column->capacity = column->capacity ? 2 * column->capacity : 16;
        column->data = l0_grow(column->data, column->capacity * bytes);
    }
    return (char *)column->data + bytes * column->count++;
}

/* The next character; the input is known to be UTF-8. */
static uint32_t l0_next(l0_reader *in) {
    uint32_t c = (unsigned char)*in->at++;
    int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
    uint32_t code = more == 3 ? c & 7 : more == 2 ? c & 15 : more == 1 ? c & 31 : c;
    for (; more > 0; more--) code = code << 6 | ((unsigned char)*in->at++ & 63);
    return code;
}

/* A character by its number. */
static uint32_t l0_numeric(l0_reader *in, uint32_t base) {
    uint32_t code = 0;
    const char *start = in->at;
    for (; in->at < in->end && isxdigit((unsigned char)*in->at); in->at++) {
        uint32_t digit = *in->at <= '9' ? (uint32_t)(*in->at - '0') : (uint32_t)(tolower(*in->at) - 'a' + 10);
        if (digit >= base) break;
        code = code * base + digit;
        if (code > 0x10FFFF) l0_fail(in, "there is no character with this code");
    }
    if (in->at == start) l0_fail(in, "the escape is not finished");
    return code;
}

/* What follows a backslash. */
static uint32_t l0_escape(l0_reader *in) {
    if (in->at >= in->end) l0_fail(in, "the escape is not finished");
    if (isdigit((unsigned char)*in->at)) return l0_numeric(in, 10);
    uint32_t c = l0_next(in);
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    case 'x': return l0_numeric(in, 16);
    case 'o': return l0_numeric(in, 8);
    default:
        if (c < 32 || (c >= 127 && c < 160)) l0_fail(in, "there is no such escape");
        return c;
    }
}

static uint32_t l0_char(l0_reader *in) {
    l0_expect(in, '\'');
    if (in->at >= in->end || *in->at == '\n') l0_fail(in, "the character is not finished");
    if (*in->at == '\'') l0_fail(in, "a character is expected here");
    uint32_t c = l0_next(in);
    if (c == '\\') c = l0_escape(in);
    if (in->at >= in->end || *in->at != '\'') l0_fail(in, "the character is not finished");
    in->at++;
    return c;
}

/* Reads a string, whose first quote is behind; its length. */
static int64_t l0_string(l0_reader *in, l0_column *column) {
    for (int64_t n = 0;; n++) {
        if (in->at >= in->end || *in->at == '\n') l0_fail(in, "the string is not finished");
        uint32_t c = l0_next(in);
        if (c == '"') return n;
        if (c == '\\') {
            if (in->at < in->end && *in->at == '&') { /* stands for nothing */
                in->at++, n--;
                continue;
            }
            c = l0_escape(in);
        }
        *(uint32_t *)l0_push(column) = c;
    }
}

static int l0_digit(const l0_reader *in) { return in->at < in->end && *in->at >= '0' && *in->at <= '9'; }

/* A minus sign in either spelling. */
static int l0_sign(l0_reader *in) {
    if (in->at >= in->end || (*in->at != '-' && *in->at != '~')) return 0;
    in->at++;
    l0_space(in);
    return 1;
}

/* What may not directly follow a number is there. */
static int l0_number_goes_on(const l0_reader *in) {
    return in->at < in->end && (isalnum((unsigned char)*in->at) || strchr("._'\"", *in->at));
}

static int64_t l0_int(l0_reader *in) {
    const char *start = in->at;
    int negative = l0_sign(in), fits = 1;
    const char *digits = in->at;
    uint64_t magnitude = 0, limit = (uint64_t)INT64_MAX + (uint64_t)negative;
    for (; l0_digit(in); in->at++) {
        uint64_t digit = (uint64_t)(*in->at - '0');
        fits = fits && magnitude <= (limit - digit) / 10;
        if (fits) magnitude = magnitude * 10 + digit;
    }
    if (in->at == digits || l0_number_goes_on(in)) in->at = start, l0_fail(in, "an int is expected here");
    if (!fits) in->at = start, l0_fail(in, "the integer does not fit into 64 bits");
    return (int64_t)(negative ? 0 - magnitude : magnitude);
}

/* Passes digits and counts them; they are appended to the number, modulo 2^64. */
static size_t l0_digits(l0_reader *in, uint64_t *number) {
    const char *start = in->at;
    for (; l0_digit(in); in->at++) *number = *number * 10 + (uint64_t)(*in->at - '0');
    return (size_t)(in->at - start);
}

static double l0_real(l0_reader *in) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *start = in->at;
    int negative = l0_sign(in);
    const char *number = in->at;
    uint64_t significand = 0;
    size_t digits = l0_digits(in, &significand), decimals = 0;
    if (in->at < in->end && *in->at == '.') {
        in->at++;
        decimals = l0_digits(in, &significand);
        digits += decimals;
    }
    /* The quotient of two numbers that are exact, rounded once. */
    if (digits && digits <= 19 && significand < (uint64_t)1 << 53 && decimals < sizeof powers / sizeof *powers &&
        !l0_number_goes_on(in)) {
        double value = (double)significand / powers[decimals];
        return negative ? -value : value;
    }
    if (digits && in->at < in->end && (*in->at == 'e' || *in->at == 'E')) {
        in->at++;
        if (in->at < in->end && strchr("+-~", *in->at)) in->at++;
        digits = l0_digits(in, &significand);
    }
    double value = 0;
    if (digits) {
        size_t length = (size_t)(in->at - number);
        char *copy = l0_grow(NULL, length + 1);
        for (size_t i = 0; i < length; i++) copy[i] = number[i] == '~' ? '-' : number[i];
        copy[length] = 0;
        value = strtod(copy, NULL);
        free(copy);
    } else if (in->at == number && l0_word(in, "inf")) {
        value = INFINITY;
    } else if (in->at == number && l0_word(in, "nan")) {
        value = NAN;
    } else {
        in->at = start, l0_fail(in, "a real is expected here");
    }
    if (l0_number_goes_on(in)) in->at = start, l0_fail(in, "a real is expected here");
    return negative ? -value : value;
}

static void l0_basic(l0_reader *in, l0_column *column) {
    l0_space(in);
    switch (column->elem) {
    case 'i': *(int64_t *)l0_push(column) = l0_int(in); return;
    case 'r': *(double *)l0_push(column) = l0_real(in); return;
    case 'b':
        if (l0_word(in, "True")) *(uint8_t *)l0_push(column) = 1;
        else if (l0_word(in, "False")) *(uint8_t *)l0_push(column) = 0;
        else l0_fail(in, "`True` or `False` is expected here");
        return;
    case 'e': /* a tuple without components */
        if (l0_accept(in, '(')) l0_expect(in, ')');
        else l0_expect(in, '{'), l0_expect(in, '}');
        *(uint8_t *)l0_push(column) = 1;
        return;
    case 't':
        if (!l0_word(in, "Checked")) l0_fail(in, "`Checked` is expected here");
        *(uint8_t *)l0_push(column) = 1;
        return;
    default: *(uint32_t *)l0_push(column) = l0_char(in);
    }
}

/* The position in the type string after the type that starts at `type`; adds the number of its columns. */
static const char *l0_skip(const char *type, int *columns) {
    if (*type == '[') return l0_skip(type + 1, columns) + 1;
    if (*type == '{') {
        type++;
        while (*type != '}') {
            type = l0_skip(type, columns);
            if (*type == ',') type++;
        }
        return type + 1;
    }
    ++*columns;
    return type + 1;
}

/* All elements of the array at this level have `n` elements, or the array is irregular. */
static void l0_extent(l0_reader *in, l0_column *columns, int count, int level, int64_t n) {
    for (int c = 0; c < count; c++) {
        int64_t *extent = &columns[c].shape[level];
        if (*extent < 0) *extent = n;
        else if (*extent != n)
            l0_fail(in, "the rows of an array must have one shape, but one has size %" PRId64 " and another %" PRId64, *extent, n);
    }
}

static const char *l0_type_name(char elem) {
    return elem == 'i' ? "int" : elem == 'r' ? "real" : elem == 'b' ? "bool" : elem == 'c' ? "char" : elem == 'e' ? "{}" : "cert";
}

/* Reads the text of the type at `type`, as in `empty(t)`. */
static const char *l0_type_text(l0_reader *in, const char *type) {
    if (*type == '[') {
        l0_expect(in, '[');
        type = l0_type_text(in, type + 1);
        l0_expect(in, ']');
    } else if (*type == '{') {
        l0_expect(in, '{');
        for (type++; *type != '}';) {
            type = l0_type_text(in, type);
            if (*type == ',') type++, l0_expect(in, ',');
        }
        l0_expect(in, '}');
    } else {
        for (const char *letter = l0_type_name(*type); *letter; letter++) l0_expect(in, *letter);
    }
    return type + 1;
}

/* Reads a value of the type at `type` into its columns; `level` brackets are around it. */
static const char *l0_value(l0_reader *in, const char *type, l0_column *columns, int level) {
    int count = 0;
    const char *after = l0_skip(type, &count);
    if (*type == '{') {
        char close = l0_accept(in, '(') ? ')' : (l0_expect(in, '{'), '}');
        const char *component = type + 1;
        l0_column *column = columns;
        while (*component != '}') {
            int width = 0;
            l0_skip(component, &width);
            component = l0_value(in, component, column, level);
            column += width;
            if (*component == ',') component++, l0_expect(in, ',');
        }
        l0_expect(in, close);
    } else if (*type == '[') {
        int64_t n = 0;
        if (l0_word(in, "empty")) {
            l0_expect(in, '(');
            l0_type_text(in, type + 1);
            l0_expect(in, ')');
        } else if (type[1] == 'c' && l0_accept(in, '"')) {
            n = l0_string(in, columns);
        } else {
            l0_expect(in, '[');
            if (!l0_accept(in, ']')) {
                do {
                    l0_value(in, type + 1, columns, level + 1);
                    n++;
                } while (l0_accept(in, ','));
                l0_expect(in, ']');
            }
        }
        l0_extent(in, columns, count, level, n);
    } else {
        l0_basic(in, columns);
    }
    return after;
}

/* Reads one parameter. `columns` has one entry per basic type of the type. */
static void l0_parameter(l0_reader *in, const char *name, const char *type, l0_column *columns) {
    int count = 0, level = 0, stack[L0_MAX_RANK + 1], depth = 0;
    for (const char *p = type; *p; p++) {
        if (*p == '[') level++, stack[depth++] = 1;
        else if (*p == '{') stack[depth++] = 0;
        else if (*p == ']' || *p == '}') level -= stack[--depth];
        else if (*p != ',') {
            l0_column *column = &columns[count++];
            memset(column, 0, sizeof *column);
            column->elem = *p;
            column->rank = level;
            for (int d = 0; d < level; d++) column->shape[d] = -1;
        }
    }
    in->name = name;
    l0_space(in);
    if (in->at >= in->end) l0_fail(in, "the value is missing");
    l0_value(in, type, columns, 0);
    for (int c = 0; c < count; c++) {
        for (int d = 0; d < columns[c].rank; d++) {
            if (columns[c].shape[d] < 0) columns[c].shape[d] = 0;
        }
    }
}

static void l0_end_of_input(l0_reader *in) {
    l0_space(in);
    in->name = NULL;
    if (in->at < in->end) l0_fail(in, "there is more input than `main` has parameters");
}

/* The input must be UTF-8: no stray, missing or needless bytes, no surrogates. */
static void l0_check_utf8(l0_reader *in) {
    while (in->at < in->end) {
        const unsigned char *p = (const unsigned char *)in->at;
        int length = *p < 0x80 ? 1 : *p >= 0xC2 && *p < 0xE0 ? 2 : *p >= 0xE0 && *p < 0xF0 ? 3 : *p >= 0xF0 && *p < 0xF5 ? 4 : 0;
        int valid = length > 0 && in->end - in->at >= length;
        for (int i = 1; valid && i < length; i++) valid = (p[i] & 0xC0) == 0x80;
        if (valid && length > 2) {
            valid = !(*p == 0xE0 && p[1] < 0xA0) && !(*p == 0xED && p[1] >= 0xA0) && !(*p == 0xF0 && p[1] < 0x90)
                    && !(*p == 0xF4 && p[1] >= 0x90);
        }
        if (!valid) l0_fail(in, "the input is not UTF-8 text");
        in->at += length;
    }
}

static l0_reader l0_open_stdin(void) {
    size_t length = 0, capacity = 1 << 16;
    char *text = l0_grow(NULL, capacity);
    for (size_t got; (got = fread(text + length, 1, capacity - length, stdin)) > 0;) {
        length += got;
        if (length == capacity) text = l0_grow(text, capacity *= 2);
    }
    l0_reader in = {NULL, text, text, text + length};
    l0_check_utf8(&in);
    in.at = text;
    return in;
}

static void l0_put_character(FILE *out, uint32_t code) {
    if (code < 0x80) fputc((int)code, out);
    else if (code < 0x800) fputc((int)(0xC0 | code >> 6), out), fputc((int)(0x80 | (code & 63)), out);
    else if (code < 0x10000)
        fputc((int)(0xE0 | code >> 12), out), fputc((int)(0x80 | (code >> 6 & 63)), out), fputc((int)(0x80 | (code & 63)), out);
    else
        fputc((int)(0xF0 | code >> 18), out), fputc((int)(0x80 | (code >> 12 & 63)), out),
            fputc((int)(0x80 | (code >> 6 & 63)), out), fputc((int)(0x80 | (code & 63)), out);
}

/* Writes a number with so many digits behind the first one; whether that is read back as the number. Of two decimals that are as
 * near, the upper one is taken. Above a power of two there is more room than below, so the decimal above may be one where the
 * nearest is none. */
static int l0_reads_back(char *text, size_t size, int digits, double x) {
    char more[64];
    snprintf(more, sizeof more, "%.40e", x);
    char *rest = more + digits + 2; /* behind the first digit, the point and the digits */
    int is_tie = *rest == '5' && strspn(rest + 1, "0") == (size_t)(strchr(more, 'e') - rest - 1);
    snprintf(text, size, "%.*e", digits, x);
    char *last = strchr(text, 'e') - 1;
    int went_down = (more[digits ? digits + 1 : 0] - '0') % 2 == 0; /* to the even digit */
    if (is_tie && went_down) ++*last;
    if (strtod(text, NULL) == x) return 1;
    if (*last == '9') return 0;
    ++*last;
    return strtod(text, NULL) == x;
}

/* The shortest decimal that reads back as the number. It has an exponent below 1e-4 and from 1e16 on. */
static void l0_put_real(FILE *out, double x) {
    char text[32], digits[20];
    int least = 0, most = 16, count = 0; /* digits behind the first one */
    if (isnan(x)) {
        fputs("nan", out);
        return;
    }
    if (isinf(x)) {
        fputs(x < 0 ? "-inf" : "inf", out);
        return;
    }
    while (least < most) {
        int middle = (least + most) / 2;
        if (l0_reads_back(text, sizeof text, middle, fabs(x))) most = middle;
        else least = middle + 1;
    }
    l0_reads_back(text, sizeof text, least, fabs(x));
    char *mark = strchr(text, 'e');
    int exponent = (int)strtol(mark + 1, NULL, 10);
    for (const char *at = text; at < mark; at++) {
        if (isdigit((unsigned char)*at)) digits[count++] = *at;
    }
    if (signbit(x)) fputc('-', out);
    if (x != 0 && !(fabs(x) >= 1e-4 && fabs(x) < 1e16)) {
        fputc(digits[0], out);
        if (count > 1) fprintf(out, ".%.*s", count - 1, digits + 1);
        fprintf(out, "e%d", exponent);
        return;
    }
    if (exponent < 0) {
        fprintf(out, "0.%.*s%.*s", -exponent - 1, "000", count, digits);
        return;
    }
    for (int at = 0; at <= exponent; at++) fputc(at < count ? digits[at] : '0', out);
    fputc('.', out);
    if (count > exponent + 1) fprintf(out, "%.*s", count - exponent - 1, digits + exponent + 1);
    else fputc('0', out);
}

/* Writes the part of the column below `level`, from element `at` on. */
static void l0_write(FILE *out, const l0_column *column, int level, size_t at) {
    if (level == column->rank) {
        switch (column->elem) {
        case 'i': fprintf(out, "%" PRId64, ((const int64_t *)column->data)[at]); return;
        case 'r': l0_put_real(out, ((const double *)column->data)[at]); return;
        case 'b': fputs(((const uint8_t *)column->data)[at] ? "True" : "False", out); return;
        case 't': fputs("Checked", out); return;
        default: {
            uint32_t code = ((const uint32_t *)column->data)[at];
            fputc('\'', out);
            if (code == '\n') fputs("\\n", out);
            else if (code == '\t') fputs("\\t", out);
            else if (code == '\r') fputs("\\r", out);
            else if (code == '\'' || code == '\\') fputc('\\', out), fputc((int)code, out);
            else if (code < 32 || code == 127) fprintf(out, "\\%" PRIu32, code);
            else l0_put_character(out, code);
            fputc('\'', out);
        }
        }
        return;
    }
    int64_t n = column->shape[level];
    size_t stride = 1;
    for (int d = level + 1; d < column->rank; d++) stride *= (size_t)(column->shape[d] > 0 ? column->shape[d] : 0);
    if (n <= 0) {
        fputs("empty(", out);
        for (int d = level + 1; d < column->rank; d++) fputc('[', out);
        fputs(l0_type_name(column->elem), out);
        for (int d = level + 1; d < column->rank; d++) fputc(']', out);
        fputc(')', out);
    } else if (column->elem == 'c' && level + 1 == column->rank) {
        for (int64_t i = 0; i < n; i++) l0_put_character(out, ((const uint32_t *)column->data)[at + (size_t)i]);
    } else {
        fputc('[', out);
        for (int64_t i = 0; i < n; i++) {
            if (i) fputs(", ", out);
            l0_write(out, column, level + 1, at + (size_t)i * stride);
        }
        fputc(']', out);
    }
}

/* Writes the results: one alone as it is, several as a tuple. */
static void l0_write_results(FILE *out, const l0_column *columns, int count) {
    if (count != 1) fputc('{', out);
    for (int c = 0; c < count; c++) {
        if (c) fputs(", ", out);
        l0_write(out, &columns[c], 0, 0);
    }
    if (count != 1) fputc('}', out);
    fputc('\n', out);
}
