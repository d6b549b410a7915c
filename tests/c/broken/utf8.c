// expect: fused: letters that need several bytes stand in comments and strings, and columns of messages count letters
// function: größe
// sizes: n=20
// arrays: a=n, b=n
// output: b

static const char *const unit = "µm² — Ångström";

/* 日本語のコメント: for (int i = 0; i < n; i++) { */
void größe(int n, const int *restrict a, int *restrict b)
{
    int t[n]; // naïve
#pragma scop
    for (int i = 0; i < n; i++) // für alle »i«
        t[i] = a[i] * 2; /* ½ × 4 */
    for (int i = 0; i < n; i++)
        b[i] = t[i] + (unit[0] & 1); // “quotes” { }
#pragma endscop
}
