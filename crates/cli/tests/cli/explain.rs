//! `frit explain` and `frit graph`: what they say of programs whose merges are known, in every form.

use crate::cli::place::{Place, examples};
use serde_json::Value;
use std::collections::BTreeSet;

/// The map is merged into the sum.
const MAP_SUM: &str = "\
fun real main([real] a) =
  let squares = map(fn real (real x) => x * x, a) in
  reduce(op +, 0.0, squares)
";

fn explained(place: &Place, words: &[&str]) -> String {
    place.frit(["explain", "p.l0"].iter().chain(words)).done().succeeded().text()
}

fn json(place: &Place, words: &[&str]) -> Value {
    let text = explained(place, &[words, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

#[test]
fn the_first_lines_answer() {
    let place = Place::with_program(MAP_SUM);
    let text = explained(&place, &[]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "1 pass over memory instead of 2; moved: 8*n bytes instead of 24*n bytes.", "{text}");
    assert_eq!(lines[1..3], ["Nothing is stored between loops; before, 1 was.", "Nothing is left to merge."], "{text}");
    for said in
        ["  lines 2-3  reduce(op +, 0.0, squares)   (2 loops in one)\n", "    reads 8*n bytes\n", "n is size(0, a).\n"]
    {
        assert!(text.contains(said), "{said} is not in\n{text}");
    }
    let known = explained(&place, &["[1.0, 2.0, 3.0]"]);
    assert!(known.starts_with("1 pass over memory instead of 2; moved: 24 bytes instead of 72 bytes."), "{known}");
    let summary = json(&place, &[])["summary"].clone();
    assert_eq!(summary["verdict"][1], lines[1], "{summary}");
    assert_eq!(summary["loops"][0]["merged"], 2, "{summary}");
}

#[test]
fn a_short_explanation_names_what_the_source_names() {
    let place = Place::new();
    for (name, path, _) in examples() {
        let text = place.frit(["explain".as_ref(), path.as_os_str()]).done().succeeded().text();
        assert!(text.lines().count() <= 40, "{name}:\n{text}");
        for word in text.split(|c: char| c.is_whitespace() || "()*".contains(c)) {
            assert!(!word.starts_with("%s") && !is_label(word), "{name}: {word} in\n{text}");
        }
    }
}

/// A name of dumps: of a value or of a with-loop.
fn is_label(word: &str) -> bool {
    let number = word.strip_prefix(['%', 'w', 'L']).unwrap_or_default();
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}

#[test]
fn windows_make_one_pass_and_are_told() {
    let place = Place::with_program(RELAX_TWICE);
    let text = explained(&place, &[]);
    assert!(
        text.starts_with("1 pass over memory instead of 2; moved: 16*k*m*n bytes instead of 32*k*m*n bytes."),
        "{text}"
    );
    assert!(text.contains("\nOf 1 array only a window is stored between loops.\n"), "{text}");
    assert!(text.contains("a window of 24*k*m bytes of 8*k*m*n bytes\n"), "{text}");
}

#[test]
fn slices_count_as_what_they_are_cut_from() {
    let place = Place::new();
    place.file(
        "p.py",
        "def smooth(u, steps):\n    for _ in range(steps):\n        u[1:-1] = 0.5 * u[1:-1] + 0.25 * (u[:-2] + u[2:])\n    return u\n",
    );
    let words = ["explain", "p.py", "--entry", "smooth(float64[:], int)"];
    let text = place.frit(words).done().succeeded().text();
    assert!(text.starts_with("1 pass over memory instead of 6; moved: 16*n*steps bytes instead of"), "{text}");
    assert!(text.contains("n is u.shape[0].\n"), "{text}");
    let known = place.frit([&words[..], &["--sizes", "u.shape[0]=1000,steps=2"]].concat()).done().succeeded().text();
    assert!(known.contains("moved: 32.0 kB instead of"), "{known}");
}

#[test]
fn updates_in_place_move_what_they_change() {
    let place = Place::new();
    place.file(
        "p.py",
        "def ema(x, alpha):\n    for i in range(1, len(x)):\n        x[i] = alpha * x[i] + (1 - alpha) * x[i - 1]\n",
    );
    let text = place.frit(["explain", "p.py", "--entry", "ema(float64[:], float)"]).done().succeeded().text();
    assert!(text.starts_with("All loops run in order; moved: 24*n bytes, as before.\nNothing is stored"), "{text}");
    place.file(
        "q.py",
        "def scaled(a, steps):\n    for k in range(steps):\n        for i in range(len(a)):\n            a[i] = a[i] * 2.0\n",
    );
    let text = place.frit(["explain", "q.py", "--entry", "scaled(float64[:,:], int)"]).done().succeeded().text();
    assert!(text.contains("moved: 16*m*n*steps bytes"), "{text}");
}

#[test]
fn arrays_are_called_as_variables_are() {
    let place = Place::new();
    place.file(
        "p.py",
        "def standard(x):\n    mean = x.mean(axis=0)\n    spread = x.std(axis=0)\n    return (x - mean) / spread\n",
    );
    let text = place.frit(["explain", "p.py", "--entry", "standard(float64[:,:])"]).done().succeeded().text();
    for said in ["  `mean` (line 3): 8*m bytes\n", "  `spread` (line 3): 8*m bytes\n"] {
        assert!(text.contains(said), "{said} is not in\n{text}");
    }
}

#[test]
fn a_python_file_without_an_entry_is_told_how_to_name_one() {
    let place = Place::new();
    place.file("p.py", "def f(x):\n    return x + 1\n");
    place.frit(["explain", "p.py"]).fails(1, &["error[missing-main]", "--entry 'f(float64[:], int)'"]);
}

#[test]
fn what_stays_apart_has_advice() {
    let place = Place::with_program(
        "fun {real, [real]} main([real] a) =\n  let s = reduce(op +, 0.0, a) in\n  {s, map(fn real (real x) => x / s, a)}\n",
    );
    let text = explained(&place, &[]);
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("Apart")).unwrap_or_else(|| panic!("{text}"));
    assert!(lines[at + 2].starts_with("  lines 2 and 3, `s`") && lines[at + 3] == "    nothing to do", "{text}");
}

#[test]
fn people_see_what_was_merged_first() {
    let place = Place::with_program(MAP_SUM);
    let text = explained(&place, &["--all"]);
    let at = |said: &str| text.find(said).unwrap_or_else(|| panic!("{said} is not in\n{text}"));
    assert!(at("Merged:") < at("`squares`") && at("`squares`") < at("Totals:"), "{text}");
    for said in ["let squares = map(", "reduce(op +, 0.0, squares)", "1 pass over memory", "p.l0:", "n is size(0, a)"] {
        at(said);
    }
    at("moved                24*n bytes  8*n bytes");
}

#[test]
fn people_see_what_each_loop_moves() {
    let place = Place::with_program(MAP_SUM);
    let text = explained(&place, &["--all", "--sizes", "n=1000"]);
    for lines in [
        "Moved by each loop before merging:\n\n  map `squares` at line 2  reads 8*n bytes = 8.0 kB, writes 8*n bytes = 8.0 kB\n  \
         reduce at line 3         reads 8*n bytes = 8.0 kB\n  \
         in all                   reads 16*n bytes = 16.0 kB, writes 8*n bytes = 8.0 kB\n",
        "Moved by each loop after merging:\n\n  redomap at line 3  reads 8*n bytes = 8.0 kB\n  in all             reads 8*n bytes = 8.0 kB\n",
    ] {
        assert!(text.contains(lines), "{lines} is not in\n{text}");
    }
    place.file("p.l0", "fun [real] main() = map(toReal, iota(100))\n");
    let text = explained(&place, &["--all"]);
    assert!(text.contains("map at line 1  writes 800 bytes\n"), "{text}");
    place.file("p.l0", "fun int main(int n) = reduce(op +, 0, iota(n))\n");
    let text = explained(&place, &["--all"]);
    assert!(text.contains("reduce at line 1  moves nothing\n"), "{text}");
}

#[test]
fn what_differs_between_iterations_is_told_for_one() {
    let place = Place::with_program(
        "fun real main(int n, [real] a) = loop (s = 0.0) = for i < n do\n  s + reduce(op +, 0.0,\n    filter(fn bool (real x) => x < s, a)) in s\n",
    );
    let text = explained(&place, &["--all"]);
    let lines = "  filter at line 3  reads 8*m*n bytes, and writes 8*k bytes in every iteration\n  reduce at line 2";
    assert!(text.contains(lines), "{text}");
    let said =
        "moved: 8*m*n bytes, as before, and in every iteration of the loop at line 1 nothing instead of 16*k bytes.";
    assert!(text.contains(said), "{text}");
    let loops = json(&place, &[])["before"]["loops"].clone();
    assert_eq!(loops[0]["moved"]["read"]["text"], "8*m*n", "{loops}");
    assert_eq!(loops[1]["moved"]["read"]["text"], "0", "{loops}");
    assert_eq!(loops[1]["per_iteration"]["read"]["text"], loops[0]["per_iteration"]["written"]["text"], "{loops}");
}

#[test]
fn refusals_have_their_codes_and_places() {
    let place = Place::with_program(
        "fun {real, [real]} main([real] a) =\n  let s = reduce(op +, 0.0, a) in\n  {s, map(fn real (real x) => x / s, a)}\n",
    );
    let text = explained(&place, &["--all"]);
    assert!(text.contains("No loops were merged.") && text.contains("Not merged:"), "{text}");
    let report = json(&place, &[]);
    let decisions = report["decisions"].as_array().unwrap();
    let refused: Vec<&Value> = decisions.iter().filter(|decision| decision["outcome"] == "refused").collect();
    assert!(!refused.is_empty(), "{report}");
    for decision in refused {
        let code = decision["code"].as_str().unwrap();
        assert!(text.contains(&format!("note[{code}]")), "{code} is not in\n{text}");
        assert_eq!(decision["first"]["place"]["file"], "p.l0");
    }
}

#[test]
fn json_counts_before_and_after() {
    let place = Place::with_program(MAP_SUM);
    let report = json(&place, &["--sizes", "n=1000"]);
    let count = |stage: &str, key: &str| report[stage][key].as_u64().unwrap();
    assert_eq!((count("before", "with_loops"), count("after", "with_loops")), (2, 1), "{report}");
    assert_eq!((count("before", "passes"), count("after", "passes")), (2, 1));
    assert_eq!((count("before", "intermediates"), count("after", "intermediates")), (1, 0));
    assert_eq!(report["before"]["moved"]["text"], "24*n");
    assert_eq!(report["before"]["moved"]["value"], 24_000);
    assert_eq!(report["after"]["moved"]["terms"], serde_json::json!([{ "coefficient": 8, "sizes": { "n": 1 } }]));
    assert_eq!(report["sizes"], serde_json::json!([{ "name": "n", "is": "size(0, a)", "value": 1000 }]));
    let loops = report["before"]["loops"].as_array().unwrap();
    let share = |at: usize, what: &str| loops[at]["moved"][what]["value"].as_i64().unwrap();
    assert_eq!((share(0, "read"), share(0, "written"), share(1, "read"), share(1, "written")), (8000, 8000, 8000, 0));
    assert_eq!((&loops[0]["names"], &loops[1]["kind"]), (&serde_json::json!(["squares"]), &"reduce".into()));
    assert_eq!(report["before"]["all_moved"]["read"]["text"], "16*n");
    assert_eq!(report["after"]["all_moved"]["written"]["value"], 0);
    let merged = &report["decisions"][0];
    assert_eq!((&merged["outcome"], &merged["passes"]), (&"merged".into(), &1.into()), "{report}");
    assert_eq!(merged["saves"]["moved"]["value"], 16_000);
    assert_eq!((&merged["first"]["place"]["line"], &merged["second"]["place"]["line"]), (&2.into(), &3.into()));
    assert_eq!(merged["first"]["names"], serde_json::json!(["squares"]));
}

#[test]
fn sizes_come_from_a_list_or_from_arguments() {
    let place =
        Place::with_program("fun [[int]] main(int k, [[int]] a) = map(fn [int] ([int] r) => map(op *(k), r), a)\n");
    let value = |words: &[&str]| json(&place, words)["after"]["moved"]["value"].as_i64();
    assert_eq!(value(&[]), None);
    assert_eq!(value(&["--sizes", "n=10, m=3"]), Some(480));
    assert_eq!(value(&["--sizes", "size(0, a)=10,size(1,a)=3"]), Some(480));
    assert_eq!(value(&["--sizes", "n=10"]), None);
    assert_eq!(value(&["7", "[[1, 2, 3], [4, 5, 6]]"]), Some(96));
    for wrong in ["n", "n=", "n=-1", "n=many", "q=1"] {
        place.frit(["explain", "p.l0", "--sizes", wrong]).fails(2, &["error[usage]"]);
    }
    place.frit(["explain", "p.l0", "--sizes", "q=1"]).fails(2, &["`q`", "n (that is size(0, a))"]);
    place.frit(["explain", "p.l0", "1", "2"]).fails(1, &["error[bad-input]"]);
}

#[test]
fn merges_can_be_limited() {
    let place = Place::with_program(MAP_SUM);
    let none = json(&place, &["--fusion-limit", "0"]);
    assert_eq!(none["after"]["with_loops"], 2, "{none}");
    assert!(none["decisions"].as_array().unwrap().iter().all(|decision| decision["outcome"] != "merged"));
    assert_eq!(json(&place, &["--fusion-limit", "9"]), json(&place, &[]));
}

/// Jacobi's method, in which most steps on loops have something to do.
const JACOBI: &str = include_str!("../../../../benches/workloads/jacobi2d.l0");

#[test]
fn people_see_how_loops_run() {
    let place = Place::with_program(JACOBI);
    let text = explained(&place, &["--all"]);
    let section =
        text.split("How loops run:\n").nth(1).unwrap_or_else(|| panic!("there is no such section in\n{text}"));
    let section = section.trim_start().split("\n\n").next().unwrap_or_default();
    let at = |said: &str| section.find(said).unwrap_or_else(|| panic!("{said} is not in\n{text}"));
    let done =
        ["runs on threads", "runs in vectors", "two time steps at once", "stores past the caches (non-temporal)"]
            .map(at);
    assert!(done.iter().all(|&done| done < at("has no vectors: ")), "{text}");
    for line in section.lines() {
        assert!(line.contains(" at line ") && line.ends_with(']'), "{line}");
    }
    let loops = json(&place, &[])["how_loops_run"].clone();
    let with = |key: &str, value: &str| {
        let found = loops.as_array().unwrap().iter().filter(|decision| decision[key] == value).count();
        assert!(found > 0, "no {key} is {value} in {loops}");
    };
    with("step", "temporal-blocking");
    with("step", "nontemporal-stores");
    with("outcome", "done");
    with("outcome", "not-chosen");
    place.frit(["explain", "p.l0", "--html", "p.html"]).prints("");
    let page = String::from_utf8(place.read("p.html")).unwrap();
    assert!(page.contains("<h2>How loops run</h2>") && page.contains("two time steps at once"), "{page}");
    // What is left out is not done.
    let text = explained(&place, &["--all", "--without", "temporal-blocking"]);
    assert!(!text.contains("two time steps at once") && text.contains("stores past the caches"), "{text}");
}

#[test]
fn loops_without_vectors_say_why() {
    let place = Place::with_program(
        "fun real main([real] a, int n) = loop (s = 1.0) = for i < n do s * 0.5 + a[i % size(0, a)] in s\n",
    );
    let text = explained(&place, &["--all"]);
    assert!(text.contains("has no vectors: its iterations depend on those before"), "{text}");
    assert!(text.contains("[runs-in-order]"), "{text}");
    let loops = json(&place, &[])["how_loops_run"].clone();
    let refused = loops.as_array().unwrap().iter().find(|decision| decision["outcome"] == "refused").unwrap();
    assert_eq!((&refused["code"], &refused["loop"]["place"]["line"]), (&"runs-in-order".into(), &1.into()), "{loops}");
}

/// The values of an attribute in a page.
fn attributes<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let starts = page.match_indices(name).map(|(at, _)| &page[at + name.len()..]);
    starts.map(|rest| &rest[..rest.find('"').expect("attributes end")]).collect()
}

#[test]
fn pages_stand_alone_and_their_links_lead_somewhere() {
    let place = Place::new();
    for (name, path, _) in examples() {
        let page_name = format!("{name}.html");
        let words = ["explain".as_ref(), path.as_os_str(), "--html".as_ref(), page_name.as_ref()];
        place.frit(words).prints("");
        let page = String::from_utf8(place.read(&page_name)).unwrap();
        let ids = attributes(&page, " id=\"");
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), distinct.len(), "{name}: two things have one id");
        let links = attributes(&page, " href=\"");
        assert!(links.len() > 6, "{name}: there is more than the navigation");
        for link in links {
            let id = link.strip_prefix('#').unwrap_or_else(|| panic!("{name}: {link} leads out of the page"));
            assert!(distinct.contains(id), "{name}: {link} leads nowhere");
        }
        for outside in ["src=", "@import", "url(http", "<link"] {
            let code = page.split("<details>").next().unwrap();
            assert!(!code.contains(outside), "{name} needs something from outside: {outside}");
        }
        // The whole graphs, and two for each function with loops.
        let drawings = page.matches("<svg ").count();
        assert_eq!(drawings, page.matches("</svg>").count(), "{name}");
        let figures = page.matches("<figure ").count();
        assert!(figures >= 2 && drawings == 2 + figures, "{name}: {figures} of {drawings}");
    }
}

#[test]
fn every_example_is_explained_the_same_way_twice() {
    let place = Place::new();
    for (name, path, _) in examples() {
        let words = ["explain".as_ref(), path.as_os_str(), "--json".as_ref()];
        let first = place.frit(words).done().succeeded().text();
        let report: Value = serde_json::from_str(&first).unwrap_or_else(|error| panic!("{name}: {error}"));
        // Sequential loops may become with-loops.
        let is_parallelised = ["loop-parallelisation", "loop-absorption"].iter().any(|rule| first.contains(rule));
        let fewer = report["after"]["with_loops"].as_u64() <= report["before"]["with_loops"].as_u64();
        assert!(fewer || is_parallelised, "{name}");
        assert_eq!(place.frit(words).done().succeeded().text(), first, "{name}");
    }
}

#[test]
fn the_array_ir_is_explained_without_a_source() {
    let place = Place::with_program(MAP_SUM);
    place.file("p.ir", place.frit(["dump", "p.l0", "--after", "simplify"]).done().succeeded().out);
    let text = place.frit(["explain", "p.ir", "--all"]).done().succeeded().text();
    assert!(text.contains("Merged:") && text.contains("1 pass over memory"), "{text}");
    place.frit(["explain", "p.ir", "--html", "p.html"]).prints("");
    place.frit(["graph", "p.ir", "-o", "p.svg"]).prints("");
    assert!(String::from_utf8(place.read("p.svg")).unwrap().contains(">redomap<"));
}

#[test]
fn graphs_are_drawn_before_and_after() {
    let place = Place::with_program(MAP_SUM);
    place.frit(["graph", "p.l0", "-o", "p.svg"]).prints("");
    let drawing = String::from_utf8(place.read("p.svg")).unwrap();
    assert!(drawing.starts_with("<?xml") && drawing.trim_end().ends_with("</svg>"), "{drawing}");
    for said in [">before<", ">after<", ">map<", ">reduce<", ">redomap<", ">squares<", ">line 2<", ">f64[n]<"] {
        assert!(drawing.contains(said), "{said} is not in\n{drawing}");
    }
    place.frit(["graph", "p.l0", "-o", "p.dot"]).prints("");
    let dot = String::from_utf8(place.read("p.dot")).unwrap();
    assert!(dot.starts_with("digraph frit {") && dot.matches('{').count() == dot.matches('}').count(), "{dot}");
    assert!(dot.contains("\"g0_w0\" -> \"g0_w1\" [label=\"f64[n]\"]"), "{dot}");
    place.frit(["graph", "p.l0", "-o", "p.png"]).fails(2, &["error[usage]", ".svg or .dot"]);
    assert_eq!(place.files(), ["p.dot", "p.l0", "p.svg"]);
}

#[test]
fn what_has_no_effect_is_wrong_use() {
    let place = Place::with_program(MAP_SUM);
    place.frit(["explain", "p.l0", "--json", "--html", "p.html"]).fails(2, &["cannot be used with"]);
    place.frit(["explain", "p.l0", "[1.0]", "--sizes", "n=1"]).fails(2, &["cannot be used with"]);
    place.file("wrong.l0", "fun int main() = x\n");
    place.frit(["explain", "wrong.l0"]).fails(3, &["error[unknown-variable]"]);
    place.frit(["graph", "wrong.l0", "-o", "w.svg"]).fails(3, &["error[unknown-variable]"]);
}

/// A stencil of a stencil in three dimensions, with a border that stays as it is.
const RELAX_TWICE: &str = "\
fun [[[real]]] relax([[[real]]] a, int n, int m, int k) =
  map(fn [[real]] (int x) =>
    map(fn [real] (int y) =>
      map(fn real (int z) =>
        if x = 0 || x = n-1 || y = 0 || y = m-1 || z = 0 || z = k-1 then a[x,y,z]
        else 0.5*a[x,y,z] + 0.08*(a[x+1,y,z]+a[x-1,y,z]+a[x,y+1,z]+a[x,y-1,z]+a[x,y,z+1]+a[x,y,z-1])
      , iota(k)), iota(m)), iota(n))
fun [[[real]]] main([[[real]]] a) =
  let n = size(0,a) in let m = size(1,a) in let k = size(2,a) in
  relax(relax(a,n,m,k),n,m,k)
";

#[test]
fn three_planes_are_kept_between_stencils_in_three_dimensions() {
    let place = Place::with_program(RELAX_TWICE);
    let text = explained(&place, &["--all"]);
    assert!(text.contains("window 3 x m x k, 24*k*m bytes of 8*k*m*n bytes"), "{text}");
    let row =
        |x: i32, y: i32| format!("[{}]", (0..5).map(|z| format!("{}.0", x * y + z * z)).collect::<Vec<_>>().join(", "));
    let plane = |x: i32| format!("[{}]", (0..6).map(|y| row(x, y)).collect::<Vec<_>>().join(", "));
    let cube = format!("[{}]", (0..7).map(plane).collect::<Vec<_>>().join(", "));
    let run = |option: &str| place.frit(["run", option, "p.l0", &cube]).done().succeeded().text();
    assert_eq!(run("--threads=2"), run("--no-windows"));
}

#[test]
fn sizes_of_an_object_are_named_after_it() {
    let place = Place::new();
    place.file(
        "p.sac",
        "use Array: all;\nobjdef double[.] table = tod(iota(10));\nvoid grow(double[.] & t) { t = t ++ [1.0]; }\n\
         int main() { grow(table); b = table * 2.0 + 1.0; grow(table); c = table * 3.0; printf(\"%g %g\\n\", sum(b), sum(c)); return 0; }\n",
    );
    let text = place.frit(["explain", "p.sac", "--all"]).done().succeeded().text();
    for said in ["is shape(table)[0]", "is shape(table.1)[0]"] {
        assert!(text.contains(said), "{said} is not in\n{text}");
    }
}
