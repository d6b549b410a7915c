//! Subscripts, pointers and members.

use crate::read::show::{check_body, check_text};
use expect_test::expect;

#[test]
fn rows_of_a_linear_array_are_dimensions() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) a[i * m + j] = b[i * m + j - 1] + b[(n - 1 - i) * m + (m - 1 - j)];"#,
        expect![[r#"
            p0 = n : int
            p1 = m : int
            A0 = float b[?, m] linear(m, 1) live
            A1 = float a[?, m] linear(m, 1) live
            L0: int i
              L1: int j
                S0: {a[i * m + j]}<2> = {b[i * m + j - 1]}<0> + {b[(n - 1 - i) * m + (m - 1 - j)]}<1>;
                    { S0[i0, i1] : 0 <= i0 < p0 and 0 < i1 < p1 }
                    read { S0[i0, i1] -> A0[i0, -1 + i1] }
                    read { S0[i0, i1] -> A0[-1 + p0 - i0, -1 + p1 - i1] }
                    write { S0[i0, i1] -> A1[i0, i1] }
        "#]],
    );
}

#[test]
fn three_dimensions_in_a_linear_array() {
    check_body(
        "void f(int n, int m, int d, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < d; k++) a[(i * m + j) * d + k] = b[i * m * d + j * d + k];"#,
        expect![[r#"
            p0 = n : int
            p1 = m : int
            p2 = d : int
            p3 = (m * d) : int
            A0 = float b[?, m, d] linear((m * d), d, 1) live
            A1 = float a[?, m, d] linear((m * d), d, 1) live
            L0: int i
              L1: int j
                L2: int k
                  S0: {a[(i * m + j) * d + k]}<1> = {b[i * m * d + j * d + k]}<0>;
                      { S0[i0, i1, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
                      read { S0[i0, i1, i2] -> A0[i0, i1, i2] }
                      write { S0[i0, i1, i2] -> A1[i0, i1, i2] }
        "#]],
    );
}

#[test]
fn constant_strides_are_dimensions_if_all_accesses_agree() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) for (int j = 0; j < 64; j++) a[i * 64 + j] = b[2 * i] + b[2 * i + 1];"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?, 64] linear(64, 1) live
            L0: int i
              L1: int j
                S0: {a[i * 64 + j]}<2> = {b[2 * i]}<0> + {b[2 * i + 1]}<1>;
                    { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 <= 63 }
                    read { S0[i0, i1] -> A0[2i0] }
                    read { S0[i0, i1] -> A0[1 + 2i0] }
                    write { S0[i0, i1] -> A1[i0, i1] }
        "#]],
    );
}

#[test]
fn columns_outside_of_their_row_keep_an_array_flat() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) for (int j = 0; j <= m; j++) a[i * m + j] = 1;
for (int i = 0; i < n * m; i++) a[i] = 2;"#,
        expect![[r#"
            p0 = n : int
            p1 = m : int
            p2 = (n * m) : int
            A0 = float a[?] nested live
            L0: int i
              L1: int j
                S0: {a}<name 0>[{i}<i0> * m + {j}<i1>] = 1;
                    { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 <= p1 }
                    may write inexactly { S0[i0, i1] -> A0[o0] }
            L2: int i
              S1: {a[i]}<0> = 2;
                  { S1[i0] : 0 <= i0 < p2 }
                  write { S1[i0] -> A0[i0] }
        "#]],
    );
}

#[test]
fn pointers_are_subscripted_in_every_way() {
    check_body(
        "void f(int n, float *restrict a, float *restrict b, float *restrict c)",
        r#"for (int i = 0; i < n; i++) *(a + i) = b[i] + *(b + i + 1) + *b;
*c = 1;"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            A2 = float c[?] pointed live
            L0: int i
              S0: {*(a + i)}<3> = {b[i]}<0> + {*(b + i + 1)}<1> + {*b}<2>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  read { S0[i0] -> A0[1 + i0] }
                  read { S0[i0] -> A0[0] }
                  write { S0[i0] -> A1[i0] }
            S1: {*c}<0> = 1;
                { S1[] }
                write { S1[] -> A2[0] }
        "#]],
    );
}

#[test]
fn a_pointer_to_a_row_is_followed() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { float *row = a + i * m; const float *up = &b[i * m]; for (int j = 0; j < m; j++) row[j] = up[j]; }"#,
        expect![[r#"
            p0 = n : int
            p1 = m : int
            A0 = float a[?, m] linear(m, 1) live
            A1 = float b[?, m] linear(m, 1) live
            L0: int i
              L1: int j
                S0: {row[j]}<1!> = {up[j]}<0!>;
                    { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
                    read { S0[i0, i1] -> A1[i0, i1] }
                    write { S0[i0, i1] -> A0[i0, i1] }
        "#]],
    );
}

#[test]
fn an_integer_that_is_computed_once_is_replaced_in_subscripts() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { int k = i + 1; a[k] = b[k] * k; int u = 2 * k; a[u] = 0; }"#,
        expect![[r#"
            p0 = n : int
            A0 = int k[] scalar in L0 `int k`
            A1 = float b[?] nested live
            A2 = float a[?] nested live
            L0: int i
              S0: {k}<0> = {i}<i0> + 1
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[] }
              S1: {a[k]}<2!> = {b[k]}<0!> * {k}<1>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A1[1 + i0] }
                  read { S1[i0] -> A0[] }
                  write { S1[i0] -> A2[1 + i0] }
              S2: {a[u]}<0!> = 0;
                  { S2[i0] : 0 <= i0 < p0 }
                  write { S2[i0] -> A2[2 + 2i0] }
        "#]],
    );
}

#[test]
fn data_in_subscripts_make_them_inexact() {
    check_body(
        "void f(int n, int *restrict key, int *restrict h, int g[restrict n][8])",
        r#"for (int i = 0; i < n; i++) { h[key[i]]++; g[i][key[i + 1]] = 1; }"#,
        expect![[r#"
            p0 = n : int
            A0 = int h[?] nested live
            A1 = int key[?] nested live
            A2 = int g[?, 8] nested live
            L0: int i
              S0: {h}<name 1>[{key[i]}<0>]++;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A1[i0] }
                  read inexactly { S0[i0] -> A0[o0] }
                  may write inexactly { S0[i0] -> A0[o0] }
              S1: {g}<name 1>[{i}<i0>][{key[i + 1]}<0>] = 1;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A1[1 + i0] }
                  may write inexactly { S1[i0] -> A2[i0, o1] }
        "#]],
    );
}

#[test]
fn members_of_elements_are_accesses_of_the_array() {
    check_text(
        "typedef struct { float x, y; } point;\nvoid f(int n, point *restrict p, point *restrict q) {\n#pragma scop\nfor (int i = 0; i < n; i++) p[i].x = q[i].y;\n#pragma endscop\n}",
        expect![[r#"
            p0 = n : int
            A0 = point q[?] nested live
            A1 = point p[?] nested live
            L0: int i
              S0: {p[i]}<1>.x = {q[i]}<0>.y;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  may write { S0[i0] -> A1[i0] }
        "#]],
    );
}

#[test]
fn members_of_structures_are_parameters_and_arrays() {
    check_text(
        "struct image { int w, h; float *data; };\nvoid f(struct image *in, struct image *out) {\n#pragma scop\nfor (int i = 0; i < in->h; i++) for (int j = 0; j < in->w; j++) out->data[i * in->w + j] = in->data[i * in->w + j];\n#pragma endscop\n}",
        expect![[r#"
            p0 = in->h : int
            p1 = in->w : int
            A0 = struct image in->data|out->data[] unknown live
            L0: int i
              L1: int j
                S0: out->data[{i}<i0> * in->w + {j}<i1>] = in->data[{i}<i0> * in->w + {j}<i1>];
                    { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
                    read inexactly { S0[i0, i1] -> A0[] }
                    may write inexactly { S0[i0, i1] -> A0[] }
            2: may-alias: `in->data`, `out->data` may overlap, so nothing is known of their elements: declare them `restrict` if they do not, or give `--assume-no-alias`
        "#]],
    );
}

#[test]
fn arrays_in_one_structure_do_not_overlap() {
    check_text(
        "struct stage { float in[8], out[8]; struct { float gain[8]; } last; float scale; };\nvoid f(struct stage *s, const float *restrict a) {\n#pragma scop\nfor (int i = 0; i < 8; i++) s->out[i] = a[i] * s->scale;\nfor (int i = 0; i < 8; i++) s->last.gain[i] = s->in[i] + s->out[7 - i];\n#pragma endscop\n}",
        expect![[r#"
            A0 = float a[?] nested live
            A1 = float s->out[8] nested live
            A2 = float s->in[8] nested live
            A3 = float s->last.gain[8] nested live
            L0: int i
              S0: {s->out[i]}<1> = {a[i]}<0> * s->scale;
                  { S0[i0] : 0 <= i0 <= 7 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
            L1: int i
              S1: {s->last.gain[i]}<2> = {s->in[i]}<0> + {s->out[7 - i]}<1>;
                  { S1[i0] : 0 <= i0 <= 7 }
                  read { S1[i0] -> A2[i0] }
                  read { S1[i0] -> A1[7 - i0] }
                  write { S1[i0] -> A3[i0] }
        "#]],
    );
}

#[test]
fn arrays_in_structures_behind_two_pointers_may_be_one() {
    check_text(
        "struct stage { float in[8], out[8]; };\nvoid f(struct stage *s, struct stage *t) {\n#pragma scop\nfor (int i = 0; i < 8; i++) s->out[i] = t->in[i];\n#pragma endscop\n}",
        expect![[r#"
            A0 = struct stage t->in|s->out[] unknown live
            L0: int i
              S0: s->out[{i}<i0>] = t->in[{i}<i0>];
                  { S0[i0] : 0 <= i0 <= 7 }
                  read inexactly { S0[i0] -> A0[] }
                  may write inexactly { S0[i0] -> A0[] }
            2: may-alias: `t->in`, `s->out` may overlap, so nothing is known of their elements: declare them `restrict` if they do not, or give `--assume-no-alias`
        "#]],
    );
}

#[test]
fn members_of_a_union_share_their_memory() {
    check_text(
        "union both { float f[8]; int i[8]; };\nvoid f(float *restrict a) {\nunion both u;\n#pragma scop\nfor (int i = 0; i < 8; i++) u.f[i] = a[i];\nfor (int i = 0; i < 8; i++) u.i[i] = u.i[i] & 7;\n#pragma endscop\n}",
        expect![[r#"
            A0 = float a[?] nested live
            A1 = union both u.f|u.i[] unknown live
            L0: int i
              S0: u.f[{i}<i0>] = {a[i]}<0>;
                  { S0[i0] : 0 <= i0 <= 7 }
                  read { S0[i0] -> A0[i0] }
                  may write inexactly { S0[i0] -> A1[] }
            L1: int i
              S1: u.i[{i}<i0>] = u.i[{i}<i0>] & 7;
                  { S1[i0] : 0 <= i0 <= 7 }
                  read inexactly { S1[i0] -> A1[] }
                  may write inexactly { S1[i0] -> A1[] }
            3: may-alias: `u.f`, `u.i` may overlap, so nothing is known of their elements: declare them `restrict` if they do not, or give `--assume-no-alias`
        "#]],
    );
}

#[test]
fn macros_may_subscript() {
    check_text(
        "#define A(i, j) a[(i) * n + (j)]\n#define MAX(x, y) ((x) > (y) ? (x) : (y))\nvoid f(int n, float *restrict a, float *restrict b) {\n#pragma scop\nfor (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A(i, j) = MAX(b[i], b[j]) + b[MAX(i, j)];\n#pragma endscop\n}",
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?, n] linear(n, 1) live
            L0: int i
              L1: int j
                S0: {A(i, j)}<3> = MAX({b[i]}<0>, {b[j]}<1>) + {b[MAX(i, j)]}<2>;
                    { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p0 }
                    read { S0[i0, i1] -> A0[i0] }
                    read { S0[i0, i1] -> A0[i1] }
                    read { S0[i0, i1] -> A0[i0] : i1 <= i0; S0[i0, i1] -> A0[i1] : i1 > i0 }
                    write { S0[i0, i1] -> A1[i0, i1] }
        "#]],
    );
}

#[test]
fn casts_of_sizes_are_seen_through() {
    check_body(
        "#include <stddef.h>\nvoid f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[(size_t)i * m + j] = 1;"#,
        expect![[r#"
            p0 = n : int
            p1 = m : int
            A0 = float a[?, m] linear((long)m, 1) live
            L0: int i
              L1: int j
                S0: {a[(size_t)i * m + j]}<0> = 1;
                    { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
                    write { S0[i0, i1] -> A0[i0, i1] }
        "#]],
    );
}

#[test]
fn pointers_that_move_are_not_followed() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { *a++ = b[i]; }"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            L0: int i
              S0: {a[i]}<1> = {b[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
        "#]],
    );
}

#[test]
fn clamped_subscripts_are_affine() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) a[i] = b[i > 0 ? i - 1 : 0] + b[i + 1 < n ? i + 1 : n - 1];"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            L0: int i
              S0: {a[i]}<2> = {b[i > 0 ? i - 1 : 0]}<0> + {b[i + 1 < n ? i + 1 : n - 1]}<1>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[0] : i0 <= 0; S0[i0] -> A0[-1 + i0] : i0 > 0 }
                  read { S0[i0] -> A0[1 + i0] : i0 <= -2 + p0; S0[i0] -> A0[-1 + p0] : i0 >= -1 + p0 }
                  write { S0[i0] -> A1[i0] }
        "#]],
    );
}

#[test]
fn arrays_in_elements_belong_to_them() {
    check_text(
        "struct p { float x[3], m; float *far; };\nvoid f(int n, int *restrict k, struct p *restrict p, struct p *restrict q) {\n#pragma scop\nfor (int i = 0; i < n; i++) q[i].x[0] = p[i].x[k[i]] * p[i].x[i % 3];\nfor (int i = 0; i < n; i++) q[i].m = p[i].far[i];\n#pragma endscop\n}",
        expect![[r#"
            p0 = n : int
            A0 = struct p p[?] nested live
            A1 = int k[?] nested live
            A2 = struct p q[?] nested live
            A3 =  memory[] unknown live
            L0: int i
              S0: {q[i]}<3>.x[0] = {p[i]}<1>.x[{k[i]}<0>] * {p[i]}<2>.x[{i}<i0> % 3];
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A1[i0] }
                  read { S0[i0] -> A0[i0] }
                  read { S0[i0] -> A0[i0] }
                  may write { S0[i0] -> A2[i0] }
            L1: int i
              S1: {q[i]}<2>.m = {p}<name 0>[{i}<i0>].far[{i}<i0>];
                  opaque: it reads through a pointer that is not known
                  { S1[i0] : 0 <= i0 < p0 }
                  read inexactly { S1[i0] -> A0[o0] }
                  may write inexactly { S1[i0] -> A0[o0] }
                  may write { S1[i0] -> A2[i0] }
                  read inexactly { S1[i0] -> A3[] }
            5: opaque-statement: this statement is not taken apart: it reads through a pointer that is not known
        "#]],
    );
}

#[test]
fn casts_of_pointers_are_not_seen_through() {
    check_body(
        "void f(int n, float *restrict a, int *restrict b)",
        "for (int i = 0; i < n; i++) b[i] = ((int *)a)[i];\nfor (int i = 0; i < n; i++) (n > 3 ? b : b + 1)[i] = 0;",
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = int b[?] nested live
            A2 =  memory[] unknown live
            L0: int i
              S0: {b[i]}<2> = ((int *){a}<name 0>)[{i}<i0>];
                  opaque: it reads through a pointer that is not known
                  { S0[i0] : 0 <= i0 < p0 }
                  read inexactly { S0[i0] -> A0[o0] }
                  may write inexactly { S0[i0] -> A0[o0] }
                  write { S0[i0] -> A1[i0] }
                  read inexactly { S0[i0] -> A2[] }
            L1: int i
              S1: (n > 3 ? {b}<name 0> : {b}<name 2> + 1)[{i}<i0>] = 0;
                  opaque: it writes through a pointer that is not known
                  { S1[i0] : 0 <= i0 < p0 }
                  read inexactly { S1[i0] -> A1[o0] }
                  may write inexactly { S1[i0] -> A1[o0] }
                  read inexactly { S1[i0] -> A1[o0] }
                  may write inexactly { S1[i0] -> A1[o0] }
                  read inexactly { S1[i0] -> A2[] }
                  may write inexactly { S1[i0] -> A2[] }
            4: opaque-statement: this statement is not taken apart: it reads through a pointer that is not known
            5: opaque-statement: this statement is not taken apart: it writes through a pointer that is not known
        "#]],
    );
}
