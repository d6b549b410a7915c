// What is known of pointers without a check: types, restrict, and arrays of the function's own.
// fuse: types 1, halves 1, fields 1, distinct_tables 1, one_of_them 1, same_pointer 1, inside 0
// refuse: inside backward-dependence
// run: types a=f64[n] b=i32[n] c=f64[n] n=0..20 alias=a,c
// run: halves a=f64[2*n] n=0..20
// run: fields p=f64[2*n+2] n=0..20
// run: distinct_tables n=0..32
// run: one_of_them a=f64[n] n=0..32
// run: same_pointer a=f64[n] n=0..20
// run: inside a=f64[2*n+1] n=0..20

struct pair { double x, y; };
double A[32], B[32];

// Stores to integers are none to floating-point numbers.
void types(double *a, int *b, double *c, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] > 0.0 ? 1 : i;
    for (int i = 0; i < n; i++)
        c[i] = b[i];
}

// Two parts of one array, which do not meet.
void halves(double *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        a[n + i] = a[i] + 1.0;
}

void fields(struct pair *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i].x = p[i].y * 2.0;
    for (int i = 0; i < n; i++)
        p[i].y = p[i].x + p[i + 1].y;
}

void distinct_tables(int n)
{
    for (int i = 0; i < n; i++)
        A[i] = B[i] * 2.0;
    for (int i = 0; i < n; i++)
        B[i] = A[i] + 1.0;
}

void one_of_them(double *restrict a, int n)
{
    for (int i = 0; i < n; i++)
        A[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        a[i] = A[i] + 1.0;
}

void same_pointer(double *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        a[i] = a[i] + 1.0;
}

// The second loop reads what the first writes later, further ahead the later it is.
void inside(double *a, int n)
{
    for (int i = 0; i < 2 * n; i++)
        a[i] = a[i] * 2.0;
    for (int i = 0; i < n; i++)
        a[i] = a[2 * i + 1] + 1.0;
}
