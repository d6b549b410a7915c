// expect: left as it was: there is nothing in the first region, and only a comment, a semicolon, and one loop in the others
// function: empty_region
// sizes: n=20
// arrays: a=n
// output: a

void empty_region(int n, int *restrict a)
{
#pragma scop
#pragma endscop

#pragma scop
    /* for (int i = 0; i < n; i++) a[i] = 0; */
    ;
#pragma endscop

#pragma scop
    for (int i = 0; i < n; i++)
        a[i]++;
#pragma endscop
}
