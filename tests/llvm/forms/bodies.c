// Bodies of several blocks.
// fuse: conditions 1, choices 1, continues 1, breaks 0, breaks_second 0, search_between 1, loop_in_if 1, jumps_out 0, switches 1, empty 0, unused 1
// always: empty 1
// cooked: empty 0
// refuse: breaks several-exits, breaks_second several-exits, jumps_out several-exits
// run: conditions a=f64[n] b=f64[n] n=0..20
// run: choices a=i32[n]:-9..9 b=i32[n]:-9..9 n=0..20
// run: continues a=f64[n] b=f64[n] n=0..20
// run: breaks a=f64[n] b=f64[n] n=0..20
// run: breaks_second a=f64[n] b=f64[n] n=0..20
// run: search_between a=f64[n] b=f64[n] n=0..20
// run: loop_in_if a=f64[n] b=f64[n] n=0..20
// run: jumps_out a=f64[n] b=f64[n] n=0..20
// run: switches a=i32[n]:0..4 b=i32[n] n=0..20
// run: empty a=f64[n] b=f64[n] n=0..20
// run: unused a=f64[n] b=f64[n] n=0..20

void conditions(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        if (b[i] > 0.0)
            a[i] = b[i] * 2.0;
        else
            a[i] = 1.0 - b[i];
    }
    for (int i = 0; i < n; i++)
        if (a[i] > 1.0)
            b[i] = a[i] + 1.0;
}

void choices(int *restrict a, int *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] > 3 ? b[i] : -b[i];
    for (int i = 0; i < n; i++)
        b[i] = (a[i] & 1) ? a[i] * 3 : a[i] / 2;
}

void continues(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        if (b[i] < 0.0)
            continue;
        a[i] = b[i] * 2.0;
        if (a[i] > 3.0)
            continue;
        a[i] += 1.0;
    }
    for (int i = 0; i < n; i++) {
        if (a[i] < 0.0)
            continue;
        b[i] = a[i] + 1.0;
    }
}

void breaks(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        if (b[i] > 7.0)
            break;
        a[i] = b[i] * 2.0;
    }
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

void breaks_second(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++) {
        if (a[i] > 7.0)
            break;
        b[i] = a[i] + 1.0;
    }
}

// A search, which has two exits, between two loops that fuse around it.
int search_between(double *restrict a, const double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    int at = 0;
    while (at < n && b[at] > 0.0)
        at++;
    for (int i = 0; i < n; i++)
        a[i] = a[i] + b[i];
    return at;
}

void loop_in_if(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        a[i] = b[i];
        if (b[i] > 0.0)
            for (int k = 0; k < 3; k++)
                a[i] = a[i] * 0.5 + k;
    }
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

int jumps_out(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
    for (int i = 0; i < n; i++) {
        if (a[i] > 14.0)
            goto failed;
        b[i] = a[i];
    }
    return 0;
failed:
    return 1;
}

void switches(unsigned *restrict a, unsigned *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        switch (a[i]) {
        case 0:
            b[i] = 5u;
            break;
        case 1:
            b[i] += 2u;
            break;
        case 3:
            b[i] *= 2u;
            break;
        default:
            break;
        }
    for (int i = 0; i < n; i++)
        a[i] = b[i] + a[i];
}

void empty(double *restrict a, double *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
    }
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}

// The first loop's sum is not used.
void unused(double *restrict a, double *restrict b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += b[i];
        a[i] = b[i] * 2.0;
    }
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1.0;
}
