//! Pointers that are swapped between time steps: the loops of one step run as one, and the results stay. Loops over the blocks of a range, whose size
//! is a parameter.

use frit_driver::c_loops::{FuseOptions, FusedFile, ReadOptions, fuse};
use frit_testkit::place::{Scratch, run_c};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#define SWAP(T, x, y) do { T swapped_ = (x); (x) = (y); (y) = swapped_; } while (0)
struct grid { float *restrict cur, *restrict next; };
struct pair { float *restrict level[2]; int cur; };
struct plane { float *restrict data; int stride; };
static inline void swap(float **x, float **y) { float *t = *x; *x = *y; *y = t; }
"#;

/// Before all steps, where a step reads and where it writes, what follows a step, and what follows all of them.
const STEPS: [[&str; 5]; 27] = [
    [
        "float *a = malloc(4 * n), *b = malloc(4 * n); for (int i = 0; i < n; i++) a[i] = b[i] = u[i];",
        "a",
        "b",
        "float *tmp = a; a = b; b = tmp;",
        "for (int i = 0; i < n; i++) v[i] = a[i]; free(a); free(b);",
    ],
    ["", "u", "v", "SWAP(float *, u, v);", ""],
    ["float *src = u, *dst = v;", "src", "dst", "swap(&src, &dst);", ""],
    ["float *src = u, *dst = v, *tmp;", "src", "dst", "if (t % 3) { tmp = src; src = dst; dst = tmp; }", ""],
    [
        "float w[2][n]; int cur = 0; for (int i = 0; i < n; i++) w[0][i] = w[1][i] = u[i];",
        "w[cur]",
        "w[1 - cur]",
        "cur = 1 - cur;",
        "for (int i = 0; i < n; i++) v[i] = w[cur][i];",
    ],
    [
        "float w[3][n]; int old = 0, now = 1, new = 2; for (int i = 0; i < n; i++) w[0][i] = w[1][i] = w[2][i] = u[i];",
        "w[now]",
        "w[new]",
        "int s = old; old = now; now = new; new = s;",
        "for (int i = 0; i < n; i++) v[i] = w[now][i] + w[old][i];",
    ],
    ["struct grid g = { u, v };", "g.cur", "g.next", "float *tmp = g.cur; g.cur = g.next; g.next = tmp;", ""],
    [
        "float *p, *q, *tmp; p = malloc(4 * n); if (!p) return; for (int i = 0; i < n; i++) p[i] = 0;",
        "u",
        "v",
        "tmp = p; p = u; u = v; v = tmp;",
        "free(t % 3 == 0 ? p : t % 3 == 1 ? v : u);",
    ],
    ["float *src = u, *dst = v;", "src", "dst", "", ""],
    [
        "float m[2][n]; float *src = m[0], *dst = m[1]; for (int i = 0; i < n; i++) src[i] = dst[i] = u[i];",
        "src",
        "dst",
        "float *tmp = dst; dst = src, src = tmp;",
        "for (int i = 0; i < n; i++) v[i] = src[i];",
    ],
    ["", "(t & 1 ? v : u)", "(t & 1 ? u : v)", "", ""],
    ["float *buf[2] = { u, v }; int cur = 0;", "buf[cur]", "buf[1 - cur]", "cur = 1 - cur;", ""],
    ["float *buf[2] = { u, v }; int cur = 0;", "buf[cur]", "buf[!cur]", "cur = !cur;", ""],
    ["float *buf[2] = { u, v }; unsigned cur = 1;", "buf[cur ^ 1]", "buf[cur]", "cur ^= 1;", ""],
    ["float *buf[2]; buf[0] = u; buf[1] = v;", "buf[t % 2]", "buf[(t + 1) % 2]", "", ""],
    [
        "float *buf[3]; for (int k = 0; k < 3; k++) { buf[k] = malloc(4 * n); for (int i = 0; i < n; i++) buf[k][i] = u[i]; } int cur = 0;",
        "buf[cur]",
        "buf[(cur + 1) % 3]",
        "cur = (cur + 1) % 3;",
        "for (int i = 0; i < n; i++) v[i] = buf[cur][i]; for (int k = 0; k < 3; k++) free(buf[k]);",
    ],
    [
        "struct pair pair = { { u, v }, 0 }, *p = &pair;",
        "p->level[p->cur]",
        "p->level[1 - p->cur]",
        "p->cur = 1 - p->cur;",
        "",
    ],
    [
        "struct plane g[2] = { { u, 1 }, { v, 1 } }; int cur = 0;",
        "g[cur].data",
        "g[1 - cur].data",
        "cur = 1 - cur;",
        "",
    ],
    ["float *restrict buf[2] = { u, v };", "buf[t & 1]", "buf[~t & 1]", "", ""],
    [
        "float *buf[3]; for (int k = 0; k < 3; k++) { buf[k] = malloc(4 * n); for (int i = 0; i < n; i++) buf[k][i] = u[i] + k; }",
        "buf[now]",
        "buf[next]",
        "",
        "for (int i = 0; i < n; i++) v[i] = buf[steps % 3][i]; for (int k = 0; k < 3; k++) free(buf[k]);",
    ],
    ["float *planes[2] = { u, v };", "planes[0]", "planes[1]", "", ""],
    [
        "float w[2][n]; int now = 0, next = 1; for (int i = 0; i < n; i++) w[0][i] = w[1][i] = u[i];",
        "w[now]",
        "w[next]",
        "{ int s = now; now = next; next = s; }",
        "for (int i = 0; i < n; i++) v[i] = w[now][i];",
    ],
    [
        "float w[2][n]; int now = 0, next; next = 1; for (int i = 0; i < n; i++) w[0][i] = w[1][i] = u[i];",
        "w[now]",
        "w[next]",
        "now = 1 - now; next = 1 - next;",
        "for (int i = 0; i < n; i++) v[i] = w[now][i];",
    ],
    ["float *pair[2] = { u, v }; unsigned now = 0, next = 1;", "pair[now]", "pair[next]", "now ^= 1, next ^= 1;", ""],
    [
        "float *pair[2] = { u, v }; int now = 0, next = 1;",
        "pair[now]",
        "pair[next]",
        "if (t % 3) { now = !now; next = !next; }",
        "",
    ],
    ["float *pair[2] = { u, v };", "pair[0]", "pair[1]", "float *s = pair[0]; pair[0] = pair[1]; pair[1] = s;", ""],
    [
        "float *three[3] = { u, v, malloc(4 * n) }; for (int i = 0; i < n; i++) three[2][i] = i;",
        "three[0]",
        "three[1]",
        "float *s = three[0]; three[0] = three[1]; three[1] = three[2]; three[2] = s;",
        "for (int i = 0; i < n; i++) v[i] = three[0][i] + three[2][i];",
    ],
];

/// As above, where both may be the same.
const STEPS_THAT_MEET: [[&str; 5]; 6] = [
    [
        "float w[2][n]; int now = 0, next = 1; for (int i = 0; i < n; i++) w[0][i] = w[1][i] = u[i];",
        "w[now]",
        "w[next]",
        "now = 1 - now; if (t % 3) next = 1 - next;",
        "for (int i = 0; i < n; i++) v[i] = w[now][i];",
    ],
    [
        "float w[3][n]; int now = 0, next = 1; for (int i = 0; i < n; i++) w[0][i] = w[1][i] = w[2][i] = u[i];",
        "w[now]",
        "w[next]",
        "now = next; next = (next + steps) % 3;",
        "for (int i = 0; i < n; i++) v[i] = w[now][i];",
    ],
    [
        "float *pair[2] = { u, v }; int now = 0, next = 1;",
        "pair[now]",
        "pair[next]",
        "for (int k = 0; k < 2; k++) { if (k) continue; now = 1 - now; if (t == 1) break; next = 1 - next; }",
        "",
    ],
    [
        "float *pair[2] = { u, v };",
        "pair[0]",
        "pair[1]",
        "float *s = pair[0]; pair[0] = pair[1]; if (t) pair[1] = s;",
        "",
    ],
    ["float *pair[2] = { u, v };", "pair[0]", "pair[1]", "float *s = pair[0]; pair[1] = pair[0]; pair[0] = s;", ""],
    ["float *pair[2] = { u, v };", "pair[0]", "pair[1]", "float *s = u; pair[0] = pair[1]; pair[1] = s;", ""],
];

/// A file with a function for each way to swap pointers, and a `main` that writes what they compute.
fn program(all: &[[&str; 5]], is_marked: bool) -> String {
    let mut text = HEAD.to_string();
    let mut main = String::new();
    for (at, &[before, source, target, behind, after]) in all.iter().enumerate() {
        let (start, end) = if is_marked { ("#pragma scop", "#pragma endscop") } else { ("", "") };
        // The pointers of the last one are chosen by a condition.
        let chosen = if source.contains('?') { format!("float *a = {source}, *b = {target};") } else { String::new() };
        let (source, target) = if source.contains('?') { ("a", "b") } else { (source, target) };
        let chosen = if source.contains("now]") && before.contains("*buf") {
            "const int now = t % 3, next = (t + 1) % 3;".to_string()
        } else {
            chosen
        };
        let _ = write!(
            text,
            r#"
void f{at}(int n, int steps, float *restrict u, float *restrict v)
{{
    {before}
    int t;
    float d[n];
{start}
    for (t = 0; t < steps; t++) {{
        {chosen}
        for (int i = 0; i < n - 1; i++)
            d[i] = {source}[i + 1] - {source}[i];
        for (int i = 1; i < n - 1; i++)
            {target}[i] = {source}[i] + 0.25f * (d[i] - d[i - 1]);
        {behind}
    }}
{end}
    {after}
}}
"#
        );
        let _ = writeln!(main, "    for (int k = 0; k < 4; k++) show(f{at}, 40 + k, k);");
    }
    let _ = write!(
        text,
        r#"
static void show(void (*f)(int, int, float *restrict, float *restrict), int n, int steps)
{{
    float *u = malloc(4 * n), *v = malloc(4 * n);
    for (int i = 0; i < n; i++)
        u[i] = i * i % 37, v[i] = i * i % 23;
    f(n, steps, u, v);
    for (int i = 0; i < n; i++)
        printf("%a %a\n", u[i], v[i]);
}}

int main(void)
{{
{main}    return 0;
}}
"#
    );
    text
}

fn fused(text: &str) -> FusedFile {
    let read = ReadOptions { auto: true, ..ReadOptions::default() };
    let options = FuseOptions { read, ..FuseOptions::default() };
    fuse(Path::new("steps.c"), text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Both texts, compiled, write the same.
fn same(before: &str, after: &str) {
    let scratch = Scratch::new("c-steps");
    let [one, two] = [before, after].map(|text| run_c("cc", &["-O1", "-w"], text, &scratch.join("steps")));
    assert!(!one.as_ref().unwrap().is_empty());
    assert_eq!(one, two, "{after}");
}

#[test]
fn loops_of_one_time_step_run_as_one_and_compute_the_same() {
    for is_marked in [false, true] {
        let text = program(&STEPS, is_marked);
        let fused = fused(&text);
        for at in 0..STEPS.len() {
            let name = format!("f{at}");
            let of_steps = fused.regions.iter().filter(|region| region.function == name);
            let arrays = of_steps.clone().flat_map(|region| &region.arrays).filter(|array| array.name == "d");
            let fates: Vec<&str> = arrays.map(|array| array.fate.as_str()).collect();
            let said: Vec<_> = of_steps.map(|region| (region.nests, &region.unchanged)).collect();
            assert_eq!(fates, ["window 2"], "{name} ({is_marked}): {said:?} {:?}", fused.remarks);
        }
        same(&text, &fused.text);
    }
}

#[test]
fn loops_of_steps_whose_memory_may_be_the_same_compute_the_same() {
    for is_marked in [false, true] {
        let text = program(&STEPS_THAT_MEET, is_marked);
        let fused = fused(&text);
        for (at, steps) in STEPS_THAT_MEET.iter().enumerate() {
            let of_steps = fused.regions.iter().filter(|region| region.function == format!("f{at}"));
            let mut arrays = of_steps.flat_map(|region| &region.arrays);
            // Rows of one array are exact, whichever they are.
            let is_window = arrays.any(|array| array.name == "d" && array.fate == "window 2");
            assert_eq!(is_window, steps[0].starts_with("float w["), "f{at}\n{}", fused.text);
        }
        same(&text, &fused.text);
    }
}

/// Two loops over a range in blocks of `bs`, by these heads; a `main` that writes what they compute.
fn blocks(heads: &[&str]) -> String {
    let mut text = "#include <stdio.h>\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n".to_string();
    let mut main = String::new();
    for (at, head) in heads.iter().enumerate() {
        let (before, behind) = head.split_once("S;").expect("it has a place for a statement");
        let _ = write!(
            text,
            r#"
void f{at}(int n, int bs, const float *restrict a, float *restrict b)
{{
    float t[n];
    {before}t[i] = 2 * a[i];{behind}
    {before}b[i] = t[i] + 1;{behind}
}}
"#
        );
        let calls = [(1, 1), (7, 3), (9, 3), (20, 64)].map(|(n, bs)| format!("show(f{at}, {n}, {bs}); "));
        let _ = writeln!(main, "    {}", calls.concat());
    }
    text + &format!(
        r#"
static void show(void (*f)(int, int, const float *restrict, float *restrict), int n, int bs)
{{
    float a[100], b[100] = {{ 0 }};
    for (int i = 0; i < 100; i++)
        a[i] = i * i % 37;
    f(n, bs, a, b);
    for (int i = 0; i < 30; i++)
        printf("%a\n", b[i]);
}}

int main(void)
{{
{main}    return 0;
}}
"#
    )
}

#[test]
fn blocks_of_a_range_are_the_range() {
    let heads = [
        "for (int o = 0; o < n; o += bs) for (int i = o; i < MIN(o + bs, n); i++) S;",
        "for (int o = 0; o < n; o += bs) { for (int i = o; i < o + bs && i < n; i++) { S; } }",
        "for (int o = 1; o < n; o += bs) { int end = o + bs > n ? n : o + bs; for (int i = o; i < end; ++i) S; }",
        "for (int o = 0; o < n; o = o + bs) for (int i = o; i < n && i < bs + o; i += 1) S;",
    ];
    let text = blocks(&heads);
    let fused = fused(&text);
    for (at, head) in heads.iter().enumerate() {
        let region = fused.regions.iter().find(|region| region.function == format!("f{at}"));
        let array = region.and_then(|region| region.arrays.first());
        assert_eq!(array.map(|array| array.fate.as_str()), Some("scalar"), "{head}\n{}", fused.text);
    }
    same(&text, &fused.text);
}

#[test]
fn blocks_that_are_not_the_range_stay() {
    let heads = [
        // They overlap, leave gaps, end elsewhere, or do more.
        "for (int o = 0; o < n; o += bs) for (int i = o; i < MIN(o + bs + 1, n); i++) S;",
        "for (int o = 0; o < n; o += bs + 1) for (int i = o; i < MIN(o + bs, n); i++) S;",
        "for (int o = 0; o < n; o += bs) for (int i = o; i < MIN(o + bs, n - 1); i++) S;",
        "for (int o = 0; o < n; o += bs) for (int i = o + 1; i < MIN(o + bs, n); i++) S;",
        "for (int o = 0; o < n; o += bs) for (int i = o; i < MIN(o + bs, n); i++) if (i > o) S;",
        "for (int o = 0; o < n; o += bs) { for (int i = o; i < MIN(o + bs, n); i++) S; bs += 0; }",
        "for (int o = 0; o < n; o += bs) { int end = MIN(o + bs, n); for (int i = o; i < end; i++) { S; end -= i % 2; } }",
    ];
    let text = blocks(&heads);
    let fused = fused(&text);
    for (at, head) in heads.iter().enumerate() {
        let name = format!("f{at}");
        let changed = fused.regions.iter().any(|region| region.function == name && region.unchanged.is_none());
        assert!(!changed, "{head}\n{}", fused.text);
    }
    same(&text, &fused.text);
}

#[test]
fn an_array_of_a_few_elements_more_than_rows_has_rows() {
    let of = |size: &str, rows: &str| {
        format!(
            r#"#include <stdlib.h>
void f(int w, int h, const float *restrict a, float *restrict b)
{{
    float *t = malloc(({size}) * sizeof(float));
    for (int y = 0; y < {rows}; y++)
        for (int x = 0; x < w; x++)
            t[y * w + x] = a[y * w + x] * a[y * w + x] * (a[y * w + x] + 2) / 3;
    for (int y = 0; y < h - 1; y++)
        for (int x = 0; x < w; x++)
            b[y * w + x] = t[(y + 1) * w + x] - t[y * w + x];
    free(t);
}}
"#
        )
    };
    let fate = |text: &str| fused(text).regions[0].arrays.first().map(|array| array.fate.clone());
    for size in ["w * h", "w * h + 1", "h * w + 8", "(size_t)w * h + 3"] {
        assert_eq!(fate(&of(size, "h")).as_deref(), Some("window 2 x w"), "{size}");
    }
    // What is behind the last row is used, or there may be less.
    for (size, rows) in [("w * h + 4", "h + 1"), ("w * h - 1", "h")] {
        assert_ne!(fate(&of(size, rows)).as_deref(), Some("window 2 x w"), "{size}");
    }
}

#[test]
fn what_a_condition_has_chosen_is_read_before_it_changes() {
    let choices = ["c ? a : b", "(c, a)", "*(c ? &a : &b)", "(float *)(c ? (void *)a : b)"];
    for choice in choices {
        let text = format!(
            r#"
#include <stdio.h>
#include <stdlib.h>
int main(int c, char **v)
{{
    int n = 40;
    float *a = malloc(4 * n), *b = malloc(4 * n), out[40];
    float *s = {choice};
    float t[n];
    for (int i = 0; i < n; i++) a[i] = i * i % 7;
    for (int i = 0; i < n; i++) b[i] = i * i % 5;
    for (int i = 0; i < n; i++) t[i] = s[n - 1 - i];
    for (int i = 0; i < n; i++) a[i] = 2 * i;
    for (int i = 0; i < n; i++) out[i] = t[i] + a[i];
    for (int i = 0; i < n; i++) printf("%a\n", out[i]);
    return 0;
}}
"#
        );
        same(&text, &fused(&text).text);
    }
}
