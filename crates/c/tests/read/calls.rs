//! Calls, macros, and what is not understood.

use crate::read::show::{check_body, check_text};
use expect_test::expect;

#[test]
fn pure_functions_are_known() {
    check_text(
        r#"static inline float square(float x) { return x * x; }
static float norm(float x, float y) { float s = square(x); s += square(y); return sqrtf(s); }
__attribute__((const)) float blend(float, float);
static int calls;
static float counted(float x) { calls++; return x; }
void f(int n, float *restrict a, float *restrict b) {
#pragma scop
for (int i = 0; i < n; i++) a[i] = norm(b[i], fminf(b[i + 1], 2)) + blend(b[i], i);
for (int i = 0; i < n; i++) b[i] = counted(a[i]);
#pragma endscop
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            A2 =  memory[] unknown live
            L0: int i
              S0: {a[i]}<3> = norm({b[i]}<0>, fminf({b[i + 1]}<1>, 2)) + blend({b[i]}<2>, {i}<i0>);
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  read { S0[i0] -> A0[1 + i0] }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
            L1: int i
              S1: {b[i]}<1> = counted({a[i]}<0>);
                  opaque: it calls `counted`, which does more than compute a number, as far as is understood
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A1[i0] }
                  write { S1[i0] -> A0[i0] }
                  read inexactly { S1[i0] -> A2[] }
                  may write inexactly { S1[i0] -> A2[] }
            9: opaque-statement: this statement is not taken apart: it calls `counted`, which does more than compute a number, as far as is understood
        "#]],
    );
}

#[test]
fn unknown_functions_touch_what_they_may_know_of() {
    check_body(
        "void f(int n, float *restrict a, float *restrict b, float *p)",
        r#"float t[n];
for (int i = 0; i < n; i++) t[i] = a[i];
show(n);
for (int i = 0; i < n; i++) b[i] = t[i] + *p;"#,
        expect![[r#"
            p0 = n : int
            A0 = float t[n] nested in region `float t[n]`
            A1 = float a[?] nested live
            A2 = float p[?] nested live
            A3 = float b[?] nested live
            A4 =  memory[] unknown live
            L0: int i
              S0: {t[i]}<1> = {a[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A1[i0] }
                  write { S0[i0] -> A0[i0] }
            S1: show(n);
                opaque: it calls `show`, of which nothing is known (if it only computes a number, declare it `__attribute__((const))`)
                { S1[] }
                read inexactly { S1[] -> A2[o0] }
                may write inexactly { S1[] -> A2[o0] }
                read inexactly { S1[] -> A4[] }
                may write inexactly { S1[] -> A4[] }
            L1: int i
              S2: {b[i]}<2> = {t[i]}<0> + {*p}<1>;
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A0[i0] }
                  read { S2[i0] -> A2[0] }
                  write { S2[i0] -> A3[i0] }
            6: opaque-statement: this statement is not taken apart: it calls `show`, of which nothing is known (if it only computes a number, declare it `__attribute__((const))`)
        "#]],
    );
}

#[test]
fn functions_with_known_effects() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"memset(a, 0, n * sizeof(float));
for (int i = 0; i < n; i++) b[i] = a[i];"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            S0: memset({a}<name 0>, 0, n * sizeof(float));
                opaque: it calls `memset`
                { S0[] }
                read inexactly { S0[] -> A0[o0] }
                may write inexactly { S0[] -> A0[o0] }
            L0: int i
              S1: {b[i]}<1> = {a[i]}<0>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[i0] }
                  write { S1[i0] -> A1[i0] }
            4: opaque-statement: this statement is not taken apart: it calls `memset`
        "#]],
    );
}

#[test]
fn macros_that_are_no_expressions_are_looked_into() {
    check_text(
        r#"#define SET(x) x = 1;
void f(int n, float *restrict a) {
#pragma scop
for (int i = 0; i < n; i++) { SET(a[i]) }
#pragma endscop
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            L0: int i
              S0: SET({a[i]}<0>)
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
        "#]],
    );
}

#[test]
fn macros_that_are_statements_are_looked_into() {
    check_text(
        r#"#define FOR(i, n) for (int i = 0; i < (n); i++)
#define GRID FOR(y, h) FOR(x, w)
#define SWAP(x, y) do { float s = x; x = y; y = s; } while (0)
void f(int w, int h, float a[restrict h][w], float *restrict b) {
#pragma scop
GRID a[y][x] = 1;
FOR(i, h - 1) { SWAP(b[i], b[i + 1]); }
#pragma endscop
}
"#,
        expect![[r#"
            p0 = h : int
            p1 = w : int
            A0 = float a[?, w] nested live
            A1 = float s[] scalar in L2 `float s`
            A2 = float b[?] nested live
            L0: int y
              L1: int x
                S0: {a[y][x]}<0> = 1;
                    { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
                    write { S0[i0, i1] -> A0[i0, i1] }
            L2: int i
              S1: {s}<1> = {b[i]}<0>
                  { S1[i0] : 0 <= i0 <= -2 + p0 }
                  read { S1[i0] -> A2[i0] }
                  write { S1[i0] -> A1[] }
              S2: {b[i]}<1> = {b[i + 1]}<0>;
                  { S2[i0] : 0 <= i0 <= -2 + p0 }
                  read { S2[i0] -> A2[1 + i0] }
                  write { S2[i0] -> A2[i0] }
              S3: {b[i + 1]}<1> = {s}<0>;
                  { S3[i0] : 0 <= i0 <= -2 + p0 }
                  read { S3[i0] -> A1[] }
                  write { S3[i0] -> A2[1 + i0] }
        "#]],
    );
}

#[test]
fn macros_may_write() {
    check_text(
        r#"#define INCREMENT(x) ((x) += 1)
#define SWAP(x, y) (t = (x), (x) = (y), (y) = t)
void f(int n, float *restrict a, float t) {
#pragma scop
for (int i = 0; i < n; i++) INCREMENT(a[i]);
for (int i = 0; i < n; i++) SWAP(a[2 * i], a[2 * i + 1]);
#pragma endscop
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float t[] scalar live-in
            L0: int i
              S0: INCREMENT({a[i]}<0,1>);
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A0[i0] }
                  reduction 0 1
            L1: int i
              S1: ({t}<1> = ({a[2 * i]}<0>), ({a[2 * i]}<3>) = ({a[2 * i + 1]}<2>), ({a[2 * i + 1]}<4>) = {t}<1>);
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[2i0] }
                  write { S1[i0] -> A1[] }
                  read { S1[i0] -> A0[1 + 2i0] }
                  write { S1[i0] -> A0[2i0] }
                  write { S1[i0] -> A0[1 + 2i0] }
        "#]],
    );
}

#[test]
fn volatile_memory_assembler_and_switch() {
    check_body(
        "void f(int n, float *restrict a, float *restrict b, volatile float *p)",
        r#"for (int i = 0; i < n; i++) { a[i] = *p; asm("nop"); switch (n) { case 1: b[i] = 0; break; default: b[i] = 1; } }"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            A2 =  memory[] unknown live
            L0: int i
              S0: {a[i]}<0> = *p;
                  opaque: it accesses `volatile` or `_Atomic` memory
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
                  read inexactly { S0[i0] -> A2[] }
                  may write inexactly { S0[i0] -> A2[] }
              S1: asm("nop");
                  opaque: it is assembler code
                  { S1[i0] : 0 <= i0 < p0 }
                  read inexactly { S1[i0] -> A2[] }
                  may write inexactly { S1[i0] -> A2[] }
              S2: switch (n) { case 1: {b[i]}<0> = 0; break; default: {b[i]}<1> = 1; }
                  { S2[i0] : 0 <= i0 < p0 }
                  write { S2[i0] -> A1[i0] }
                  write { S2[i0] -> A1[i0] }
            4: opaque-statement: this statement is not taken apart: it accesses `volatile` or `_Atomic` memory
            4: opaque-statement: this statement is not taken apart: it is assembler code
        "#]],
    );
}

#[test]
fn jumps_leave_the_region() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { if (a[i] < 0) return; b[i] = 1; }"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            A2 =  memory[] unknown live
            L0: int i
              S0: if ({a[i]}<0> < 0) return;
                  opaque: `return;` in line 4 returns from the function, and other loops must not run before that is known: note it in a variable, and return behind the loops
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  read inexactly { S0[i0] -> A2[] }
                  may write inexactly { S0[i0] -> A2[] }
              S1: {b[i]}<0> = 1;
                  { S1[i0] : 0 <= i0 < p0 }
                  write { S1[i0] -> A1[i0] }
            4: opaque-statement: this statement is not taken apart: `return;` in line 4 returns from the function, and other loops must not run before that is known: note it in a variable, and return behind the loops
        "#]],
    );
}

#[test]
fn lines_of_the_preprocessor_leave_the_region() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) a[i] = 1;
#ifdef X
for (int i = 0; i < n; i++) a[i] = 1;
#endif"#,
        expect![[r#"
            5: preprocessor-in-region: the region stays as it is: lines of the preprocessor decide what stands in it; such lines belong round a region
        "#]],
    );
}
