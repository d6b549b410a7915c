// Arrays that only the fused loop uses become values; those that others see stay.
// fuse: on_stack 1, variable_length 1, on_heap 1, window 1, window_of_three 1, chain 2, rows 2, escapes 1, read_after 1, partly_written 0, zeroed 1, freed_late 1, conditional 1, window_fixed 1, window_of_three_fixed 1, around_fixed 1, on_heap_checked 1, aligned 1, volatile_outside 1, kept_address 1, filled 1, given_back 1, integers 1, window_behind 1, blur 1, twice_blurred 2
// forwarded: on_stack 1, variable_length 1, on_heap 1, chain 3, rows 1, read_after 1, freed_late 1, aligned 1, integers 1
// removed: on_stack 1, variable_length 1, on_heap 1, chain 2, rows 1, escapes 0, read_after 0, zeroed 0, freed_late 0, window_fixed 1, window_of_three_fixed 1, around_fixed 1, on_heap_checked 1, aligned 1, volatile_outside 0, kept_address 0, filled 1, given_back 0, integers 1, window_behind 1
// run: on_stack a=f64[n] b=f64[n] n=0..64
// run: variable_length a=f64[n] b=f64[n] n=1..64
// run: on_heap a=f64[n] b=f64[n] n=0..64
// run: window a=f64[n+1] b=f64[n+1] n=0..63
// run: window_of_three a=f64[n+2] b=f64[n+2] n=0..62
// run: chain a=f64[n] b=f64[n] n=0..64
// run: rows a=f64[n*8] b=f64[n*8] n=0..8
// run: escapes a=f64[n] b=f64[n] n=0..64
// run: read_after a=f64[n] b=f64[n] n=1..64
// run: partly_written a=f64[n] b=f64[n] n=0..64
// run: zeroed a=f64[n] b=f64[n] n=0..64
// run: freed_late a=f64[n] b=f64[n] n=0..64
// run: conditional a=f64[n] b=f64[n] n=0..64
// run: window_fixed a=f64[64] b=f64[64]
// run: window_of_three_fixed a=f64[64] b=f64[64]
// run: around_fixed a=f64[64] b=f64[64]
// run: on_heap_checked a=f64[n] b=f64[n] n=0..64
// run: aligned a=f64[64] b=f64[64]
// run: volatile_outside a=f64[n] b=f64[n] n=0..64
// run: kept_address a=f64[n] b=f64[n] n=0..64
// run: filled a=f64[n] b=f64[n] n=0..64
// run: given_back a=f64[n] b=f64[n] n=1..64
// run: window_behind a=f64[n] b=f64[n] n=0..64
// run: blur a=f32[n] b=f32[n] n=0..40
// run: twice_blurred a=f32[n] b=f32[n] n=0..70
// run: integers a=i32[n] b=i32[n] n=0..64

void *malloc(unsigned long size);
void *calloc(unsigned long count, unsigned long size);
void *aligned_alloc(unsigned long alignment, unsigned long size);
void free(void *);
double peek(const double *at);
void poke(double *at, double value);

void on_stack(const double *restrict a, double *restrict b, int n)
{
    double t[64];
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

void variable_length(const double *restrict a, double *restrict b, int n)
{
    double t[n];
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

void on_heap(const double *restrict a, double *restrict b, int n)
{
    double *t = malloc(n * sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
    free(t);
}

// Two elements are in use at a time.
void window(const double *restrict a, double *restrict b, int n)
{
    double t[64];
    for (int i = 0; i < n + 1; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + t[i + 1];
}

void window_of_three(const double *restrict a, double *restrict b, int n)
{
    double *t = malloc((n + 2) * sizeof *t);
    for (int i = 0; i < n + 2; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + t[i + 1] * t[i + 2];
    free(t);
}

void chain(const double *restrict a, double *restrict b, int n)
{
    double t[64], u[64];
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        u[i] = t[i] + 1.0;
    for (int i = 0; i < n; i++)
        b[i] = u[i] * t[i];
}

void rows(const double *restrict a, double *restrict b, int n)
{
    double t[8][8];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            t[i][j] = a[i * 8 + j] * 2.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            b[i * 8 + j] = t[i][j] + 1.0;
}

// Another function has seen the array: it stays.
double escapes(const double *restrict a, double *restrict b, int n)
{
    double t[65];
    poke(t, 0.0);
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
    return peek(t);
}

double read_after(const double *restrict a, double *restrict b, int n)
{
    double t[64];
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
    return t[n - 1];
}

// What the second loop writes, the first has written twice as far on; the third reads the other way round.
void partly_written(const double *restrict a, double *restrict b, int n)
{
    double t[200];
    for (int i = 0; i < 200; i++)
        t[i] = i * 0.5;
    for (int i = 0; i < n; i += 2)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[n - i] + 1.0;
}

void zeroed(const double *restrict a, double *restrict b, int n)
{
    double *t = calloc(n + 1, sizeof *t);
    for (int i = 0; i < n; i++)
        if (a[i] > 0.0)
            t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
    free(t);
}

double freed_late(const double *restrict a, double *restrict b, int n)
{
    double *t = malloc((n + 1) * sizeof *t);
    t[n] = 5.0;
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
    double last = t[n];
    free(t);
    return last;
}

void conditional(const double *restrict a, double *restrict b, int n)
{
    double t[64];
    for (int i = 0; i < n; i++) {
        if (a[i] > 0.0)
            t[i] = a[i];
        else
            t[i] = -1.0;
    }
    for (int i = 0; i < n; i++)
        if (b[i] > 0.0)
            b[i] = t[i] + 1.0;
}

void window_fixed(const double *restrict a, double *restrict b)
{
    double t[64];
    for (int i = 0; i < 64; i++)
        t[i] = a[i] * 2.0;
    for (int i = 1; i < 64; i++)
        b[i] = t[i] + t[i - 1];
}

void window_of_three_fixed(const double *restrict a, double *restrict b)
{
    double *t = malloc(64 * sizeof *t);
    for (int i = 0; i < 64; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < 62; i++)
        b[i] = t[i] + t[i + 1] * t[i + 2];
    free(t);
}

void around_fixed(const double *restrict a, double *restrict b)
{
    double t[64];
    for (int i = 0; i < 64; i++)
        t[i] = a[i] * 2.0;
    for (int i = 1; i < 63; i++)
        b[i] = t[i - 1] + t[i] * t[i + 1];
}

void on_heap_checked(const double *restrict a, double *restrict b, int n)
{
    double *t = malloc(n * sizeof *t + 1);
    if (!t)
        return;
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
    free(t);
}

void aligned(const double *restrict a, double *restrict b)
{
    double *t = aligned_alloc(64, 512);
    for (int i = 0; i < 64; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < 64; i++)
        b[i] = t[i] + 1.0;
    free(t);
}

// A store that has to be executed.
void volatile_outside(const double *restrict a, double *restrict b, int n)
{
    double t[64];
    *(volatile double *)&t[5] = 1.0;
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

// Another function may remember the place.
void kept_address(const double *restrict a, double *restrict b, int n)
{
    double t[64];
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
    poke(t, 1.0);
}

void filled(const double *restrict a, double *restrict b, int n)
{
    double t[64];
    __builtin_memset(t, 0, sizeof t);
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
}

// The caller gets what the array held.
double given_back(const double *restrict a, double *restrict b, int n)
{
    double *t = malloc(n * sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1.0;
    double last = peek(t);
    free(t);
    return last;
}

void integers(const int *restrict a, int *restrict b, int n)
{
    int t[64];
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 3;
    for (int i = 0; i < n; i++)
        b[i] = t[i] ^ 5;
}

// The second loop has an iteration less than the first.
void window_behind(const double *restrict a, double *restrict b, long n)
{
    double t[64];
    if (n < 1)
        return;
    long i = 0, j = 1;
    do {
        t[i] = a[i] * 2.0;
        i++;
    } while (i < n);
    if (n != 1)
        do {
            b[j] = t[j] + t[j - 1];
            j++;
        } while (j < n);
}

// With more iterations before the fused loop than the first loop is known to have: where not all loops are entered they stay apart.
void blur(const float *restrict a, float *restrict b, int n)
{
    float *t = malloc((n > 0 ? n : 1) * sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 0.5f + 1.0f;
    for (int i = 1; i < n - 1; i++)
        b[i] = t[i - 1] + t[i] + t[i + 1];
    free(t);
}

void twice_blurred(const float *restrict a, float *restrict b, int n)
{
    float s[64], t[64];
    if (n > 64)
        return;
    for (int i = 0; i < n; i++)
        s[i] = a[i] * 0.5f;
    for (int i = 1; i < n - 1; i++)
        t[i] = s[i - 1] + s[i] + s[i + 1];
    for (int i = 2; i < n - 2; i++)
        b[i] = t[i - 1] + t[i] + t[i + 1];
}
