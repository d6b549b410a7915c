//! Regions from a small text form:
//!
//! ```text
//! params n m where n >= 2              // parameters, and what is known of them
//! array A[n][m] in                     // in, out, inout: live; temp: declared outside; local: in the region
//! local t                              // in a loop: every iteration has its own
//! for i in 0..n step 2 {               // `down` after the bounds for a loop from the last to the first
//!     if i >= 2 {
//!         B[i] = A[i - 1], A[i]        // a write and reads; `A[?]` for a subscript that is not affine
//!         s += A[i]                    // a reduction; `max=` for one that may be reordered exactly
//!         maybe C[i] = A[i]            // a write that may happen
//!         opaque A[?], B[?] = A[?]     // not understood
//!     }
//! }
//! for i in 0..n { A[i] = B[i] }        // the same, in one line
//! ```
//!
//! Bounds, conditions and subscripts are isl's. Mistakes panic: this is for tests.

use frit_scop::builder::{Builder, Role};
use frit_scop::model::{AccessKind, Reduction};
use frit_scop::{Array, Scop};

/// The region that a text describes.
pub fn scop(text: &str) -> Scop {
    let mut builder = Builder::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap().replace('{', "{\n").replace('}', "\n}");
        line.lines().map(str::trim).filter(|part| !part.is_empty()).for_each(|part| add(&mut builder, part));
    }
    builder.finish()
}

fn add(builder: &mut Builder, line: &str) {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "params" => {
            let (names, known) = rest.split_once("where").unwrap_or((rest, ""));
            builder.params(&names.split_whitespace().collect::<Vec<_>>(), known).unwrap();
        }
        "array" => array(builder, rest),
        "local" => declare(builder, rest, Role::Local),
        "for" => open_loop(builder, rest),
        "if" => builder.open_if(rest.trim_end_matches('{')),
        "}" => builder.close(),
        _ => statement(builder, line),
    }
}

fn array(builder: &mut Builder, text: &str) {
    let (place, mode) = text.rsplit_once(' ').unwrap_or((text, "local"));
    let role = match mode {
        "in" => Role::Input,
        "out" => Role::Output,
        "inout" => Role::InOut,
        "temp" => Role::Temporary,
        "local" => Role::Local,
        _ => panic!("no mode of an array: {mode}"),
    };
    declare(builder, place, role);
}

fn declare(builder: &mut Builder, place: &str, role: Role) {
    let (name, extents) = split_place(place);
    builder.array(name, 4, &extents, role).unwrap();
}

/// `i in 0..n step 2 down {`
fn open_loop(builder: &mut Builder, text: &str) {
    let text = text.trim_end_matches('{').trim();
    let (text, sign) = text.strip_suffix("down").map_or((text, 1), |text| (text.trim(), -1));
    let (text, step) = text.split_once(" step ").unwrap_or((text, "1"));
    let (name, range) = text.split_once(" in ").expect("`for i in 0..n {`");
    let (lower, upper) = range.split_once("..").expect("`for i in 0..n {`");
    builder.open_loop(name.trim(), lower, upper, sign * step.trim().parse::<i64>().unwrap());
}

fn statement(builder: &mut Builder, text: &str) {
    let (text, is_maybe) = text.strip_prefix("maybe ").map_or((text, false), |text| (text, true));
    let (text, is_opaque) = text.strip_prefix("opaque ").map_or((text, false), |text| (text, true));
    let (left, right) = text.split_once('=').expect("`write = read, read`");
    let reduction = ["+", "max"].into_iter().find(|op| left.trim_end().ends_with(op));
    let left = left.trim_end().trim_end_matches(reduction.unwrap_or("=")).trim();
    let updated = reduction.is_some().then_some(left);
    let reads = places(right).filter(|read| read.starts_with(char::is_alphabetic));
    let reads = updated.into_iter().chain(reads).map(|place| (place, AccessKind::Read));
    let writes = places(left).map(|place| {
        let is_certain = !is_maybe && !place.contains('?');
        (place, if is_certain { AccessKind::Write } else { AccessKind::MayWrite })
    });
    let accesses: Vec<(Array, AccessKind, Vec<&str>)> = reads
        .chain(writes)
        .map(|(place, kind)| {
            let (name, subscripts) = split_place(place);
            (builder.find(name).unwrap_or_else(|| panic!("no array {name}")), kind, subscripts)
        })
        .collect();
    let write = accesses.iter().position(|(_, kind, _)| *kind != AccessKind::Read).unwrap_or(accesses.len());
    let accesses: Vec<_> = accesses.iter().map(|(array, kind, places)| (*array, *kind, places.as_slice())).collect();
    let statement = builder.statement(&accesses).unwrap_or_else(|error| panic!("{text}: {error}"));
    let data = builder.statement_mut(statement);
    data.reduction = reduction.map(|op| Reduction { read: 0, write, is_exact: op == "max" });
    data.opaque = is_opaque.then(|| "opaque".to_string());
}

/// The name and the subscripts of `A[i][j]`.
fn split_place(place: &str) -> (&str, Vec<&str>) {
    let place = place.trim();
    let Some((name, subscripts)) = place.split_once('[') else { return (place, Vec::new()) };
    let subscripts = subscripts.strip_suffix(']').expect("`]`").split("][");
    (name.trim(), subscripts.collect())
}

/// What commas outside of brackets separate.
fn places(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let places = text.split(move |letter: char| {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    });
    places.map(str::trim).filter(|place| !place.is_empty())
}
