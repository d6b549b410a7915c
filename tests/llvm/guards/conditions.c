// Loops under conditions.
// fuse: identical 1, second_guarded 1, first_guarded 1, provable 1, opposite 0, both_inside 1, nested 1, unrelated 0, in_switch 1, one_in_the_other 3, found_inside 0
// always: unrelated 1
// run: identical a=f64[n] b=f64[n] n=0..20 c=0..1
// run: second_guarded a=f64[n] b=f64[n] n=0..20 c=0..1
// run: first_guarded a=f64[n] b=f64[n] n=0..20 c=0..1
// run: provable a=f64[n] b=f64[n] n=0..20
// run: opposite a=f64[n] b=f64[n] n=0..20 c=0..1
// run: both_inside a=f64[n] b=f64[n] n=0..20 c=0..1
// run: nested a=f64[n] b=f64[n] n=0..20 c=0..1 d=0..1
// run: unrelated a=f64[n] b=f64[n] n=0..20 c=0..1 d=0..1
// run: in_switch a=f64[n] b=f64[n] n=0..20 c=0..3
// run: one_in_the_other a=f64[n] b=f64[n] c=f64[n] d=f64[n] n=0..20
// run: found_inside a=f64[n] b=f64[n] n=1..20

void identical(double *restrict a, double *restrict b, int n, int c)
{
    if (c > 0)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    if (c > 0)
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1.0;
}

void second_guarded(double *restrict a, double *restrict b, int n, int c)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    if (c)
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1.0;
}

void first_guarded(double *restrict a, double *restrict b, int n, int c)
{
    if (c)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

// The condition of the second loop holds whenever either loop has an iteration.
void provable(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    if (n > 0) {
        int i = 0;
        do {
            b[i] = a[i] + 1.0;
            i++;
        } while (i < n);
    }
}

// Only one of the loops runs.
void opposite(double *restrict a, double *restrict b, int n, int c)
{
    if (c)
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
    else
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1.0;
}

void both_inside(double *restrict a, double *restrict b, int n, int c)
{
    if (c) {
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1.0;
    } else if (n > 0) {
        b[0] = 1.0;
    }
}

void nested(double *restrict a, double *restrict b, int n, int c, int d)
{
    if (c) {
        if (d) {
            for (int i = 0; i < n; i++)
                a[i] = b[i] * 2.0;
            for (int i = 0; i < n; i++)
                b[i] = a[i] + 1.0;
        }
    }
}

// Each loop runs without the other.
void unrelated(double *restrict a, double *restrict b, int n, int c, int d)
{
    if (c)
        for (int i = 0; i < n; i++)
            a[i] = a[i] * 2.0;
    if (d)
        for (int i = 0; i < n; i++)
            b[i] = b[i] + 1.0;
}

void in_switch(double *restrict a, double *restrict b, int n, int c)
{
    switch (c) {
    case 1:
        for (int i = 0; i < n; i++)
            a[i] = b[i] * 2.0;
        for (int i = 0; i < n; i++)
            b[i] = a[i] + 1.0;
        break;
    case 2:
        for (int i = 0; i < n; i++)
            a[i] = -b[i];
        break;
    default:
        break;
    }
}

// Each guard is round all that follows.
double one_in_the_other(double *restrict a, double *restrict b, double *restrict c, double *restrict d, long n)
{
    double last = 0;
    if (n > 0) {
        for (long i = 0; i < n; i++)
            b[i] = a[i] * 2.0;
        if (n > 2) {
            double sum = 0;
            for (long i = 0; i < n - 2; i++) {
                c[i] = b[i] + 1.0;
                sum += c[i];
            }
            last = sum;
            if (n > 4) {
                for (long i = 0; i < n - 4; i++)
                    d[i] = c[i] * b[i];
                last = sum * 2;
                if (n > 6)
                    for (long i = 0; i < n - 6; i++)
                        a[i] = d[i] - c[i];
            }
        }
    }
    return last;
}

// Whether the second loop is entered only the first one tells.
void found_inside(double *restrict a, double *restrict b, int n)
{
    if (n > 0) {
        double most = 0;
        for (int i = 0; i < n; i++) {
            a[i] = b[i] * 2.0;
            most = most > a[i] ? most : a[i];
        }
        if (most > 1.0)
            for (int i = 0; i < n; i++)
                b[i] = a[i] + 1.0;
    }
}
