// function: carried
// sizes: n=6
// sizes: n=0
// sizes: n=1
// sizes: n=2
// sizes: n=17
// arrays: a=n, b=n
// output: b
// temporaries: t=scalar
// loops: 2 -> 1

// Loops that are part of a statement hand values to their own next iterations, in scalars and elements that nothing reads afterwards.
void carried(int n, const int *restrict a, int *restrict b)
{
    int t[n + 1], w[4];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i] & 15;
    for (int i = 0; i < n; i++) {
        int v = t[i], steps = 0;
        while (v > 1) {
            v = v / 2;
            steps++;
        }
        int u = t[i], digits = 0;
        do {
            digits = digits + 1;
            u = u / 3;
        } while (u > 0);
        int p = 0, q = 1;
        for (int k = 0; k < t[i]; k++) {
            int r = (p + q) & 1023;
            p = q;
            q = r;
        }
        w[0] = 1;
        w[1] = t[i];
        for (int k = 0; k < t[i]; k++) {
            int r = w[0] + w[1];
            w[0] = w[1] & 255;
            w[1] = r;
        }
        int c = 0;
        for (int k = 0; k < t[i]; k++) {
            w[2] = k + 1;
            w[3] = k * 3;
            c += w[2] * w[3];
        }
        int last = 0;
        if (t[i] > 3) {
            last = 2;
            if (a[i] & 16)
                last = 3;
            steps += last;
        }
        b[i] = steps + 8 * digits + 16 * p + 64 * w[0] + 7 * c;
    }
#pragma endscop
}
