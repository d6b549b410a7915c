//! What the layout does, what it leaves, and that it changes no program.

use expect_test::{Expect, expect};
use frit_format::{Language, format};
use frit_support::random::{Random, cases, seed};
use frit_support::{FileId, Index, Span, with_deep_stack};
use std::path::{Path, PathBuf};

#[track_caller]
fn lays_out(language: Language, text: &str, expected: Expect) {
    let laid_out = laid_out(language, "program", text);
    expected.assert_eq(&laid_out);
    assert_eq!(self::laid_out(language, "program", &laid_out), laid_out, "it is laid out already");
}

#[track_caller]
fn laid_out(language: Language, name: &str, text: &str) -> String {
    with_deep_stack(|| format(language, name, text, &[]))
        .unwrap_or_else(|refused| panic!("{name}: {:?}\n{text}", refused.diagnostics))
}

#[track_caller]
fn refuses(language: Language, text: &str, code: &str) {
    let refused = with_deep_stack(|| format(language, "program", text, &[])).expect_err("there is no layout");
    assert_eq!(refused.diagnostics[0].code, code, "{:?}", refused.diagnostics);
}

// ---- L0

#[test]
fn bindings_branches_and_loops_are_indented_by_their_structure() {
    lays_out(
        Language::L0,
        "
// About main.

fun int main( [int]a,int n )=
let  x=if n<0
then - n
    else n in // the size
   loop(s=0)=for i<x do
  // one element
       s+a[ i ]
   in


   s*-1",
        expect![[r#"
            // About main.

            fun int main([int] a, int n) =
              let x = if n < 0
                      then -n
                      else n in // the size
              loop (s = 0) = for i < x do
                // one element
                s + a[i]
              in

              s * -1
        "#]],
    );
}

#[test]
fn long_lines_end_where_least_is_taken_apart() {
    lays_out(
        Language::L0,
        "fun [real] main([real] first, [real] second) = map(fn real (real x, real y) => (x + y) / (x - y) * 3.14159265, zip(map(op + (1.0), first), map(op - (2.0), second)))\nfun int f(int x) = if x * x * x < 1000000 then x * 17 + x * 18 + x * 19 else if x * x < 2000000 then x * 20 + x * 21 else x * 22\n",
        expect![[r#"
            fun [real] main([real] first, [real] second) =
              map(fn real (real x, real y) => (x + y) / (x - y) * 3.14159265, zip(map(op + (1.0), first), map(op - (2.0), second)))
            fun int f(int x) =
              if x * x * x < 1000000 then x * 17 + x * 18 + x * 19 else if x * x < 2000000 then x * 20 + x * 21 else x * 22
        "#]],
    );
}

#[test]
fn signs_sections_types_and_certificates_keep_close() {
    lays_out(
        Language::L0,
        "fun {* [ int ],int}main(*[int]a,cert c)=let b=map(op+(1),a)in let x=reduce(op  -,0,map(op~,b))in{copy(a),-x+ ~ a[ <c>|0]-not_(<c>reshape((3), a))}\nfun int not_([int] a) = 1 pow 2",
        expect![[r#"
            fun {*[int], int} main(*[int] a, cert c) =
              let b = map(op + (1), a) in
              let x = reduce(op -, 0, map(op ~, b)) in
              {copy(a), -x + ~a[<c>|0] - not_(<c> reshape((3), a))}
            fun int not_([int] a) = 1 pow 2
        "#]],
    );
}

// ---- SAC

#[test]
fn statements_blocks_and_generators_are_indented_by_their_structure() {
    lays_out(
        Language::Sac,
        r#"use Array:all;
#define TWICE(x) \
   ((x)  +  (x))
/* Several
   lines. */
double [.]  f ( double[.] a,int n )
{ if(n<2)
r=a;
else if (n==3) { r=a+ 1.0; } else
  {
     // nothing
        r = with { ( .<= iv<= .):a[ iv ]*2.0; } :genarray( shape(a),0.0 );}
  for(i=0;i<n;i++){ r=r+tod(- i)
  *TWICE(2.0); }
  return r; }
int main() { return 0; }
"#,
        expect![[r#"
            use Array:all;
            #define TWICE(x) \
               ((x)  +  (x))
            /* Several
               lines. */
            double[.] f(double[.] a, int n)
            { if (n < 2)
                r = a;
              else if (n == 3) { r = a + 1.0; } else
              {
                // nothing
                r = with { (. <= iv <= .) : a[iv] * 2.0; } : genarray(shape(a), 0.0); }
              for (i = 0; i < n; i++) { r = r + tod(-i)
                                            * TWICE(2.0); }
              return r; }
            int main() { return 0; }
        "#]],
    );
}

#[test]
fn long_functions_and_with_loops_on_a_line_become_blocks() {
    lays_out(
        Language::Sac,
        "double residue(double a, double b) { c = a - b * tod(toi(a / b)); d = c * c; return d < 1.0 ? a - b * d : a * b - c * 0.5; }\ndouble[.] g(double[.] first, double[.] second) { return with { ([0] <= [i] < shape(first)) : first[i] * second[i] + first[i]; } : genarray(shape(first), 0.0); }\n",
        expect![[r#"
            double residue(double a, double b)
            {
              c = a - b * tod(toi(a / b));
              d = c * c;
              return d < 1.0 ? a - b * d : a * b - c * 0.5;
            }
            double[.] g(double[.] first, double[.] second)
            {
              return with { ([0] <= [i] < shape(first)) : first[i] * second[i] + first[i]; } : genarray(shape(first), 0.0);
            }
        "#]],
    );
}

#[test]
fn operators_that_would_grow_together_and_doubtful_ones_stay_as_they_are() {
    lays_out(
        Language::Sac,
        "int main() { a = 1; b = a- -a; c = (a)-1; d = [a+1,a]; e = (int) -1; a ++ ; return b -  - c; }\nint -(int[2] v) { return v[0]; }\n",
        expect![[r#"
            int main() { a = 1; b = a - -a; c = (a)-1; d = [a+1,a]; e = (int) -1; a ++; return b - -c; }
            int -(int[2] v) { return v[0]; }
        "#]],
    );
}

#[test]
fn a_program_that_looks_at_its_layout_stays() {
    let long = "int main() { a = __LINE__; b = [__LINE__, 1000000, 2000000, 3000000, 4000000, 5000000, 6000000, 7000000, \
                8000000]; c = __LINE__; return 0; }\n";
    refuses(Language::Sac, long, "layout-matters");
}

#[test]
fn mistakes_in_the_syntax_are_told() {
    refuses(Language::L0, "fun int main() = (1 + 2", "unclosed-bracket");
    refuses(Language::Sac, "int main() { return 1 }", "missing-semicolon");
}

#[test]
fn deep_and_long_programs_are_laid_out() {
    let deep = format!("fun int main() = {}1{}\n", "(".repeat(20_000), ")".repeat(20_000));
    assert!(laid_out(Language::L0, "deep", &deep).lines().count() > 1);
    let choices: String = (0..20_000).map(|n| format!("if x < {n} then {n} else ")).collect();
    assert!(laid_out(Language::L0, "chain", &format!("fun int main(int x) = {choices}1\n")).lines().count() > 4000);
    let blocks =
        format!("int main() {{ x = 1; {} return x; }}\n", "if (x < 3) { x = 2; ".repeat(2000) + &"}".repeat(2000));
    assert!(laid_out(Language::Sac, "blocks", &blocks).lines().count() > 2000);
}

// ---- the programs of the project

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The programs below a folder, in order.
fn programs(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![project().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if Language::of(&path).is_some() {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "there are no programs in {folder}");
    found
}

/// The layout of a file; `None` if it is refused.
fn of_file(path: &Path, text: &str) -> Option<String> {
    let language = Language::of(path).unwrap();
    with_deep_stack(|| format(language, &path.display().to_string(), text, &[])).ok()
}

#[test]
fn the_examples_are_laid_out() {
    for path in programs("examples") {
        let text = std::fs::read_to_string(&path).unwrap();
        let laid_out = of_file(&path, &text).unwrap_or_else(|| panic!("{}: no layout", path.display()));
        assert!(laid_out == text, "{}: run `frit fmt` on it", path.display());
    }
}

/// A text whose spaces and lines are others, between the same words. Gaps with comments stay; lines stay in a file with a preprocessor.
fn shaken(path: &Path, text: &str, random: &mut Random) -> String {
    let file = FileId::new(0);
    let (words, has_directives): (Vec<Span>, bool) = match Language::of(path).unwrap() {
        Language::L0 => (frit_front::l0::words(file, text), false),
        Language::Sac => (frit_front::sac::source::words(file, text), text.contains('#')),
    };
    let mut shaken = String::new();
    let mut at = 0;
    for word in words {
        let gap = &text[at..word.start as usize];
        let is_white = !gap.is_empty() && gap.trim().is_empty();
        if is_white && !has_directives && random.one_in(10) {
            shaken.push_str(if gap.contains('\n') { " " } else { "\n" });
        } else if is_white {
            let lines = gap.matches('\n').count();
            shaken.push_str(&"\n".repeat(if lines > 0 && random.one_in(6) { lines + 2 } else { lines }));
            shaken.push_str(&" ".repeat(random.below(9) + usize::from(lines == 0)));
        } else {
            shaken.push_str(gap);
        }
        shaken.push_str(&text[word.start as usize..word.end as usize]);
        at = word.end as usize;
    }
    shaken + &text[at..]
}

/// What a layout may not change.
fn without_white_space(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn any_layout_of_any_program_is_laid_out_once_and_keeps_every_character() {
    let all: Vec<PathBuf> = ["tests", "examples", "benches", "crates/front/src/sac/library"]
        .into_iter()
        .flat_map(programs)
        .filter(|path| !path.components().any(|part| part.as_os_str() == "err"))
        .collect();
    let mut random = Random::new(seed());
    let mut laid_out = 0;
    let cases = cases(160);
    for case in 0..cases {
        let path = &all[(case * all.len() / cases + random.below(all.len())) % all.len()];
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let text = shaken(path, &text, &mut random);
        let Some(once) = of_file(path, &text) else { continue };
        laid_out += 1;
        assert_eq!(without_white_space(&once), without_white_space(&text), "{}", path.display());
        let twice = of_file(path, &once).unwrap_or_else(|| panic!("{}: no second layout", path.display()));
        assert_eq!(twice, once, "{}", path.display());
    }
    assert!(laid_out * 10 > cases * 9, "only {laid_out} of {cases} were laid out");
}

#[test]
fn ranges_in_an_index_are_close_and_its_commas_have_a_space() {
    lays_out(
        Language::L0,
        "fun [[int]] main([[[int]]] a, int k) = a[ : ,k,1 :k+1]\n",
        expect![[r#"
            fun [[int]] main([[[int]]] a, int k) = a[:, k, 1:k + 1]
        "#]],
    );
}
