// A loop behind a branch with loops on its ways.
// fuse: on_both 2, on_one 1, on_one_within 0, chain 3, in_switch 2, results 0, in_a_loop 2, two_behind 3, code_between 2, tail_guarded 2, needs_all 0, apart_in_memory 0, long_tail 0, not_to_be_copied 0
// always: results 2
// cooked: on_one_within 1
// refuse: needs_all branch-between
// run: on_both a=f64[n] b=f64[n] n=0..20 k=0..1
// run: on_one a=f64[n] b=f64[n] at=f64[1] n=0..20 k=0..1
// run: on_one_within a=f64[n] b=f64[n] n=1..20 k=0..1
// run: chain a=f64[n] b=f64[n] n=0..20 k=0..3
// run: in_switch a=f64[n] b=f64[n] n=0..20 k=0..3
// run: results a=f64[n] b=f64[n] n=0..20 k=0..1
// run: in_a_loop a=f64[n] b=f64[n] n=0..20 m=0..4
// run: two_behind a=f64[n] b=f64[n] n=0..20 k=0..1
// run: code_between a=f64[n] b=f64[n] at=f64[1] n=0..20 k=0..1
// run: tail_guarded a=f64[n] b=f64[n] n=0..20 m=0..1 k=0..1
// run: needs_all a=f64[n] b=f64[n] n=0..20 k=0..1
// run: apart_in_memory a=f64[n] b=f64[n] n=0..20 k=0..1
// run: long_tail a=f64[n] b=f64[n] n=0..20 k=0..1
// run: not_to_be_copied a=f64[n] b=f64[n] n=0..20 k=0..1

void on_both(double *restrict a, double *restrict b, int n, int k)
{
    if (k)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else
        for (int i = 0; i < n; i++)
            a[i] = b[i] - 2.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

// The way without a loop keeps the loop behind.
void on_one(double *restrict a, double *restrict b, double *restrict at, int n, int k)
{
    if (k)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else
        *at = 1.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

// What the other way stores the loop behind needs.
void on_one_within(double *restrict a, double *restrict b, int n, int k)
{
    if (k)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else
        a[0] = 1.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

void chain(double *restrict a, double *restrict b, int n, int k)
{
    if (k == 0)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else if (k == 1)
        for (int i = 0; i < n; i++)
            a[i] = b[i] - 2.0;
    else
        for (int i = 0; i < n; i++)
            a[i] = 3.0 - b[i];
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

void in_switch(double *restrict a, double *restrict b, int n, int k)
{
    switch (k) {
    case 1:
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
        break;
    case 2:
        for (int i = 0; i < n; i++)
            a[i] = -b[i];
        break;
    default:
        break;
    }
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

// What the ways leave behind, and what the loop does, meets again.
double results(double *restrict a, double *restrict b, int n, int k)
{
    double scale, sum = 0.0;
    int last = 0;
    if (k) {
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
        scale = 0.5;
    } else {
        for (int i = 0; i < n; i++)
            a[i] = b[i] - 2.0;
        scale = n;
    }
    for (int i = 0; i < n; i++) {
        sum += a[i] * scale;
        b[i] = sum;
        last = i;
    }
    return sum + last;
}

void in_a_loop(double *restrict a, double *restrict b, int n, int m)
{
    for (int step = 0; step < m; step++) {
        if (step % 2)
            for (int i = 0; i < n; i++)
                a[i] = b[i] * 2.0;
        else
            for (int i = 0; i < n; i++)
                a[i] = b[i] - 2.0;
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1.0;
    }
}

// The loops behind become one first.
void two_behind(double *restrict a, double *restrict b, int n, int k)
{
    if (k)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else
        for (int i = 0; i < n; i++)
            a[i] = b[i] - 2.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
    for (int i = 0; i < n; i++)
        a[i] = b[i] * a[i];
}

void code_between(double *restrict a, double *restrict b, double *restrict at, int n, int k)
{
    if (k)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else
        for (int i = 0; i < n; i++)
            a[i] = b[i] - 2.0;
    double by = *at;
    if (by < 0.0)
        by = -by;
    *at = by + 1.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + by;
}

void tail_guarded(double *restrict a, double *restrict b, int n, int m, int k)
{
    if (k)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else
        for (int i = 0; i < n; i++)
            a[i] = b[i] - 2.0;
    if (m)
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1.0;
}

// The loop behind reads backwards what both ways make.
void needs_all(double *restrict a, double *restrict b, int n, int k)
{
    if (k)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else
        for (int i = 0; i < n; i++)
            a[i] = b[i] - 2.0;
    for (int i = 0; i < n; i++)
        b[i] = a[n - 1 - i] + 1.0;
}

void apart_in_memory(double *restrict a, double *restrict b, int n, int k)
{
    if (k)
        for (int i = 0; i < n; i++)
            a[i] = a[i] * 2.0;
    else
        for (int i = 0; i < n; i++)
            a[i] = a[i] - 2.0;
    for (int i = 0; i < n; i++)
        b[i] = b[i] + 1.0;
}

#define FOUR(x) x x x x
// The loop behind is too long to be there twice.
void long_tail(double *restrict a, double *restrict b, int n, int k)
{
    if (k)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else
        for (int i = 0; i < n; i++)
            a[i] = b[i] - 2.0;
    for (int i = 0; i < n; i++) {
        double x = a[i];
        FOUR(FOUR(FOUR(x = x * 0.5 + 1.0; x = x * x - 0.25;)))
        b[i] = x;
    }
}

double pure(double value) __attribute__((const, nothrow, noduplicate));
void not_to_be_copied(double *restrict a, double *restrict b, int n, int k)
{
    if (k)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else
        for (int i = 0; i < n; i++)
            a[i] = b[i] - 2.0;
    double by = pure(n);
    for (int i = 0; i < n; i++)
        b[i] = a[i] + by;
}
