/* What the programs beside this file declare as external. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scalars ---- */

double hypot3(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
float half(float x) { return x / 2; }
bool is_even(int n) { return n % 2 == 0; }
char upper(char c) { return (char)toupper(c); }
signed char next_byte(signed char n) { return (signed char)(n + 1); }
short negated(short n) { return (short)-n; }
long square(long n) { return n * n; }
long long cube(long long n) { return n * n * n; }
unsigned char top_byte(void) { return 255; }
unsigned short top_short(void) { return 65535; }
unsigned int top_int(void) { return 4294967295u; }
unsigned long top_long(void) { return 18446744073709551615ul; }
unsigned long long same(unsigned long long n) { return n; }
int plus(int a, int b) { return a + b; }

/* ---- several results ---- */

int divide(int *rest, int a, int b)
{
    *rest = a % b;
    return a / b;
}

void extremes(int n, const int *a, int *least, int *most)
{
    *least = *most = a[0];
    for (int i = 1; i < n; i++) {
        if (a[i] < *least) *least = a[i];
        if (a[i] > *most) *most = a[i];
    }
}

/* ---- arrays ---- */

double total(int n, double *a)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    return sum;
}

void powers(double *result, int n, double x)
{
    result[0] = 1;
    for (int i = 1; i < n; i++) result[i] = result[i - 1] * x;
}

void turned(int *result, int rows, int columns, const int *a)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) result[j * rows + i] = a[i * columns + j];
}

void negate(bool *a, int n)
{
    for (int i = 0; i < n; i++) a[i] = !a[i];
}

int product_of(const int *extents, int rank)
{
    int product = 1;
    for (int i = 0; i < rank; i++) product *= extents[i];
    return product;
}

/* ---- state ---- */

static int counter = 100;

int count(void) { return counter++; }
void reset(int n) { counter = n; }
void advance(int *state) { *state = *state * 5 + 1; }

/* ---- texts ---- */

int bytes_of(const char *text) { return (int)strlen(text); }
const char *greeting(void) { return "h\xc3\xa9llo"; }

char *repeated(const char *text, int times)
{
    static char buffer[100];
    buffer[0] = 0;
    while (times-- > 0) strcat(buffer, text);
    return buffer;
}
