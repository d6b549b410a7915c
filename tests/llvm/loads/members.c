// Pointers that each loop loads anew, from structures and global variables, are one array if nothing stores there between. Without
// optimisations every iteration loads them, and nothing says that what is stored is no pointer.
// fuse: step 0, call_step 0, global 0, call_global 0, nested 0, call_nested 0, exchanged 0, call_exchanged 0, seen 0, call_seen 0
// fuse: counted 0, call_counted 0, three 0, call_three 0, row 0, call_row 0, later_row 0, call_later_row 0
// cooked: exchanged 1, step 1, global 1, nested 1, three 2, row 1, later_row 1
// run: call_step u=f64[n] v=f64[n] w=f64[n] n=0..20 alias=any
// run: call_global u=f64[n] v=f64[n] w=f64[n] n=0..20 alias=any
// run: call_nested u=f64[n] v=f64[n] n=0..20 alias=any
// run: call_exchanged u=f64[n] v=f64[n] w=f64[n] n=0..20 alias=any
// run: call_seen u=f64[n] v=f64[n] w=f64[n] n=0..20
// run: call_counted u=i64[n] v=i64[n] n=0..20
// run: call_three u=f64[n] v=f64[n] w=f64[n] n=0..20 alias=any
// run: call_row u=f64[3*n] v=f64[3*n] n=0..20 alias=any runs=40
// run: call_later_row u=f64[4*n] n=0..20 runs=40

#define OWN __attribute__((noinline))
void observe_memory(void);

struct fields { double *u, *v, *w; int n; };

OWN void step(struct fields *f)
{
    for (int i = 0; i < f->n; i++)
        f->v[i] += f->u[i];
    for (int i = 0; i < f->n; i++)
        f->w[i] = f->v[i] * 0.5;
}

void call_step(double *u, double *v, double *w, int n)
{
    struct fields f = { u, v, w, n };
    step(&f);
}

static double *U, *V, *W;
static int N;

OWN void global(void)
{
    for (int i = 0; i < N; i++)
        V[i] += U[i];
    for (int i = 0; i < N; i++)
        W[i] = V[i] * 0.5;
}

void call_global(double *u, double *v, double *w, int n)
{
    U = u, V = v, W = w, N = n;
    global();
}

struct outer { int kind; struct { long size; double *data; } from, to; };

OWN void nested(struct outer *o)
{
    for (long i = 0; i < o->from.size; i++)
        o->to.data[i] = o->from.data[i] + 1.0;
    for (long i = 0; i < o->from.size; i++)
        o->from.data[i] *= o->to.data[i];
}

void call_nested(double *u, double *v, int n)
{
    struct outer o = { 1, { n, u }, { n, v } };
    nested(&o);
}

// Arrays that were exchanged are the ones that they are by then.
OWN void exchanged(struct fields *f)
{
    for (int i = 0; i < f->n; i++)
        f->v[i] += f->u[i];
    double *other = f->v;
    f->v = f->w;
    f->w = other;
    for (int i = 0; i < f->n; i++)
        f->w[i] = f->v[f->n - 1 - i] * 0.5;
}

void call_exchanged(double *u, double *v, double *w, int n)
{
    struct fields f = { u, v, w, n };
    exchanged(&f);
}

// Whatever can be seen from outside may be another one afterwards.
struct fields shown;

OWN void seen(void)
{
    for (int i = 0; i < shown.n; i++)
        shown.v[i] += shown.u[i];
    observe_memory();
    for (int i = 0; i < shown.n; i++)
        shown.w[i] = shown.v[i] * 0.5;
}

void call_seen(double *u, double *v, double *w, int n)
{
    struct fields f = { u, v, w, n };
    shown = f;
    seen();
    shown.u = shown.v = shown.w = 0;
}

// What is stored may be the number of iterations.
struct counted { long *data, *to; long n; };

OWN void counted(struct counted *c)
{
    for (long i = 0; i < c->n; i++)
        c->data[i] = 3;
    for (long i = 0; i < c->n; i++)
        c->to[i] = c->data[i];
}

void call_counted(long *u, long *v, int n)
{
    struct counted c = { u, v, n };
    counted(&c);
}

OWN void three(struct fields *f)
{
    for (int i = 0; i < f->n; i++)
        f->u[i] *= 2.0;
    for (int i = 0; i < f->n; i++)
        f->v[i] += f->u[i];
    for (int i = 0; i < f->n; i++)
        f->w[i] -= f->v[i];
}

void call_three(double *u, double *v, double *w, int n)
{
    struct fields f = { u, v, w, n };
    three(&f);
}

OWN void row(double **a, double **b, int n)
{
    for (int y = 0; y < 3; y++) {
        for (int x = 0; x < n; x++)
            a[y][x] *= 2.0;
        for (int x = 0; x < n; x++)
            b[y][x] += a[y][x];
    }
}

void call_row(double *u, double *v, int n)
{
    double *a[3] = { u, u + n, u + 2 * n }, *b[3] = { v + n, v, v + 2 * n };
    row(a, b, n);
}

// What is one row here is the other one in the next iteration.
OWN void later_row(double **a, int n)
{
    for (int y = 0; y < 3; y++) {
        for (int x = 0; x < n; x++)
            a[y][x] *= 2.0;
        for (int x = 0; x < n; x++)
            a[y + 1][x] += a[y][x];
    }
}

void call_later_row(double *u, int n)
{
    double *a[4] = { u, u + n, u + 2 * n, u + 3 * n };
    later_row(a, n);
}
