// expect: left as it was: the body of a loop changes its variable, and a bound changes while the loop runs
// function: loop_variable_changed
// sizes: n=20
// arrays: a=n, b=n
// output: b

void loop_variable_changed(int n, const int *restrict a, int *restrict b)
{
    int t[n];
    int end = n;
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++) {
        b[i] = t[i];
        if (a[i] > 50)
            i++;
    }
    for (int i = 0; i < end; i++) {
        b[i] += t[i];
        if (b[i] < 0)
            end--;
    }
#pragma endscop
}
