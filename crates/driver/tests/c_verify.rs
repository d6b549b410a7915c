//! Comparing a transformed C file with the original finds what is wrong in it.

use frit_driver::c_loops::verify::{Outcome, VerifyOptions, verify};
use frit_support::{FileId, Index};
use std::path::Path;

const ORIGINAL: &str = "
void shift(int n, const int *restrict a, int *restrict b)
{
    int t[n + 1];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i] + 1;
    for (int i = 0; i < n; i++)
        b[i] = t[i];
#pragma endscop
}
";

/// What comparing the original with a text comes to in which `replaced` stands for other words.
fn outcome(replaced: &[(&str, &str)]) -> Outcome {
    outcome_of(ORIGINAL, replaced)
}

fn outcome_of(original: &str, replaced: &[(&str, &str)]) -> Outcome {
    let file = frit_c::read(FileId::new(0), original, &frit_c::ReadOptions::default()).unwrap();
    let transformed = replaced.iter().fold(original.to_string(), |text, (old, new)| {
        assert!(text.contains(old));
        text.replace(old, new)
    });
    let mut verified = verify(&file, &transformed, &[true], Path::new(""), &VerifyOptions::default()).unwrap();
    assert_eq!((verified.len(), verified[0].function.as_str()), (1, "shift"));
    verified.remove(0).outcome
}

#[test]
fn equal_files_do_the_same() {
    let outcome = outcome(&[]);
    assert!(outcome.is_same(), "{outcome}");
}

#[test]
fn other_results_are_found() {
    assert!(matches!(outcome(&[("a[i] + 1", "a[i] + (i > 2)")]), Outcome::Differs { .. }));
}

#[test]
fn accesses_outside_of_temporaries_are_found() {
    let outcome = outcome(&[("t[i]", "t[i + 2]")]);
    assert!(matches!(&outcome, Outcome::Differs { what, .. } if what.contains("outside")), "{outcome}");
}

#[test]
fn what_only_empty_arrays_show_is_found() {
    let differs = outcome(&[("#pragma scop", "#pragma scop\n    b[0] = n > 0 ? b[0] : 1;")]);
    assert!(matches!(&differs, Outcome::Differs { call, .. } if call.contains("n = 0")), "{differs}");
    // The original is not defined there either.
    let same =
        outcome_of(&ORIGINAL.replace("n + 1", "n"), &[("#pragma scop", "#pragma scop\n    b[0] = n > 0 ? b[0] : 1;")]);
    assert!(same.is_same(), "{same}");
}

const STRUCTURES: &str = "
struct size { int w, h; };
struct image { struct size size; float *pix; float gain[3]; void *user; unsigned is_new : 1; };
struct state { double sum; float *level[2]; const struct size *limit; };
struct pixel { unsigned char light; short hue[2]; };
void shift(int n, const struct image *in, struct image out, struct state *state, struct pixel *pixels)
{
    float t[in->size.w * in->size.h + 1];
    state->sum = 0;
#pragma scop
    for (int y = 0; y < in->size.h; y++)
        for (int x = 0; x < in->size.w; x++)
            t[y * in->size.w + x] = in->pix[y * in->size.w + x] * in->gain[1];
    for (int y = 0; y < in->size.h; y++)
        for (int x = 0; x < in->size.w; x++)
            out.pix[y * in->size.w + x] = t[y * in->size.w + x] + state->limit->w;
    for (int i = 0; i < n; i++)
        pixels[i].hue[1] = pixels[i].light + 1;
#pragma endscop
    for (int i = 0; i < n; i++)
        state->sum += pixels[i].hue[1];
    float *level = state->level[0];
    state->level[0] = state->level[1];
    state->level[1] = level;
    state->level[0][0] = 3;
}
";

#[test]
fn what_structures_hold_is_compared() {
    let same = outcome_of(STRUCTURES, &[]);
    assert!(same.is_same(), "{same}");
    let mutants = [
        ("in->gain[1]", "in->gain[2]", "`out.pix`"),
        ("limit->w", "limit->h", "`out.pix`"),
        ("state->sum = 0", "state->sum = n > 3", "`state->sum`"),
        ("light + 1;", "light + 1, pixels[i].hue[0] = 0;", "`pixels[].hue`"),
        ("state->level[1] = level;", "state->level[1] = level + n - n; state->level[0] = level;", "`state->level[0]`"),
        ("level[0][0] = 3", "level[0][0] = n > 5 ? 4 : 3", "`state->level[1]`"),
    ];
    for (old, new, place) in mutants {
        let outcome = outcome_of(STRUCTURES, &[(old, new)]);
        assert!(matches!(&outcome, Outcome::Differs { what, .. } if what.contains(place)), "{new}: {outcome}");
    }
}

#[test]
fn members_that_cannot_be_made_up_are_named() {
    let of = |member: &str, used: &str| {
        let text = ORIGINAL
            .replace(
                "void shift(int n,",
                &format!("struct part {{ {member}; int n; }};\nvoid shift(const struct part *p,"),
            )
            .replace("int t[n + 1];", &format!("int n = p->n, t[n + 1]; {used}"));
        outcome_of(&text, &[])
    };
    let unused = of("int (*call)(void)", "");
    assert!(unused.is_same(), "{unused}");
    let named = [
        ("int (*call)(void)", "p->call"),
        ("union { int u; float f; } call", "p->call.u"),
        ("int **call", "p->call"),
        ("unsigned call : 3", "p->call"),
    ];
    for (member, place) in named {
        let used = of(member, &format!("(void){place};"));
        assert!(matches!(&used, Outcome::NotRun { why } if why.contains(place)), "{member}: {used}");
    }
}

#[test]
fn what_the_original_does_that_c_does_not_define_is_no_difference() {
    // Its array on the heap is too small for most sizes.
    let original = ORIGINAL.replace("int t[n + 1];", "int *t = malloc((n < 6 ? n + 1 : 6) * sizeof *t);");
    let original =
        format!("#include <stdlib.h>\n{}", original.replace("#pragma endscop", "#pragma endscop\n    free(t);"));
    let outcome = outcome_of(&original, &[("b[i] = t[i]", "b[i] = t[i] + (n > 6)")]);
    assert!(!matches!(outcome, Outcome::Differs { .. }), "{outcome}");
}
