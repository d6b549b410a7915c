// Calls between loops, and in their bodies, by what they may do.
// fuse: of_nothing 1, that_writes 1, that_reads_first 0, that_sees_all 0, prints 0, in_body_pure 1, in_body_prints 0, in_body_one_prints 0, square_roots 0, call_and_reads 0, reads_and_call 0, calls_in_both 0, call_and_own_stores 0, stores_own_and_call 0, call_and_stores 0
// always: call_and_reads 1, reads_and_call 1, calls_in_both 1, stores_own_and_call 1
// cooked: square_roots 1, stores_own_and_call 0
// refuse: that_sees_all code-between, in_body_prints may-not-return, in_body_one_prints may-not-return, call_and_own_stores value-used-across, call_and_stores call-memory
// run: of_nothing a=f64[n] b=f64[n] n=0..20
// run: that_writes a=f64[n] b=f64[n] at=f64[1] n=0..20
// run: that_reads_first a=f64[n+1] b=f64[n+1] n=0..20
// run: that_sees_all a=f64[n] b=f64[n] n=0..20
// run: prints a=f64[n] b=f64[n] n=0..20
// run: in_body_pure a=f64[n] b=f64[n] n=0..20
// run: in_body_prints a=i64[n] b=i64[n] n=0..20
// run: in_body_one_prints a=i64[n] b=i64[n] n=0..20
// run: square_roots a=f64[n] b=f64[n] n=0..20
// run: call_and_reads a=f64[n+1] b=f64[n+1] n=0..20
// run: reads_and_call a=f64[n+1] b=f64[n+1] n=0..20
// run: calls_in_both a=f64[n+1] b=f64[n+1] n=0..20
// run: call_and_own_stores a=f64[n+1] n=1..20
// run: stores_own_and_call a=f64[n+1] n=0..20
// run: call_and_stores a=f64[n+1] b=f64[n+1] n=0..20

#define QUIET __attribute__((nothrow, leaf))
double pure(double value) __attribute__((const, nothrow));
double peek(const double *at) __attribute__((pure, nothrow));
void poke(double *at, double value) QUIET;
void observe(long value) QUIET;
void observe_memory(void) QUIET;

void of_nothing(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    double term = pure(n);
    for (int i = 0; i < n; i++)
        b[i] = a[i] + term;
}

// The memory that it writes is known to be no one else's, if what is restricted is believed.
void that_writes(double *restrict a, double *restrict b, double *restrict at, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    *at = pure(*at);
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

void that_reads_first(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i <= n; i++)
        a[i] = b[i] * 2.0;
    double term = peek(a + n);
    for (int i = 0; i <= n; i++)
        b[i] = a[i] + term;
}

// It may read and write everything that others can reach, so it stays between the loops.
void that_sees_all(double *a, double *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    observe_memory();
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

// Arrays of the function's own are out of every call's reach; but it is not known that the call returns.
double prints(const double *restrict a, const double *restrict b, int n)
{
    double own[32], sum = 0.0;
    for (int i = 0; i < n; i++)
        own[i] = a[i] * 2.0;
    observe(n);
    for (int i = 0; i < n; i++)
        sum += own[i];
    return sum;
}

void in_body_pure(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = pure(b[i]);
    for (int i = 0; i < n; i++)
        b[i] = pure(a[i]);
}

// What is printed stays in order; nor is it known that printing ends.
void in_body_prints(long *restrict a, long *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i] * 2;
        observe(a[i]);
    }
    for (int i = 0; i < n; i++) {
        b[i] = a[i] + 1;
        observe(b[i]);
    }
}

long in_body_one_prints(const long *restrict a, const long *restrict b, int n)
{
    long own[32], sum = 0;
    for (int i = 0; i < n; i++)
        own[i] = a[i] * b[i];
    for (int i = 0; i < n; i++) {
        sum += own[i];
        observe(sum);
    }
    return sum;
}

// Without optimisations, a square root may set the number of an error.
void square_roots(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = __builtin_sqrt(__builtin_fabs(b[i]));
    for (int i = 0; i < n; i++)
        b[i] = __builtin_fmax(a[i], __builtin_copysign(b[i], -1.0));
}

// What is only read may be read in any order; what is stored is out of the call's reach, or is not.
double call_and_reads(const double *a, const double *b, int n)
{
    double first = 0.0, second = 0.0;
    for (int i = 0; i < n; i++)
        first += peek(a + i);
    for (int i = 0; i < n; i++)
        second += a[i] * b[i];
    return first * second;
}

double reads_and_call(const double *a, const double *b, int n)
{
    double first = 0.0, second = 0.0;
    for (int i = 0; i < n; i++)
        first += a[i] * b[i];
    for (int i = 0; i < n; i++)
        second += peek(a + i) * b[i];
    return first * second;
}

double calls_in_both(const double *a, const double *b, int n)
{
    double first = 0.0, second = 0.0;
    for (int i = 0; i < n; i++)
        first += a[i] * peek(b + i);
    for (int i = 0; i < n; i++)
        second += b[i] * peek(a + i);
    return first * second;
}

double call_and_own_stores(const double *restrict a, int n)
{
    double own[32], sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += peek(a + i);
    for (int i = 0; i < n; i++)
        own[i] = sum + a[i];
    return own[n / 2];
}

double stores_own_and_call(const double *restrict a, int n)
{
    double own[32], sum = 0.0;
    for (int i = 0; i < n; i++)
        own[i] = a[i];
    for (int i = 0; i < n; i++)
        sum += own[i] * peek(a + i);
    return sum;
}

void call_and_stores(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = peek(a + i);
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}
