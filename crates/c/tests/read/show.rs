//! A region as text, for tests.

use expect_test::Expect;
use frit_c::region::{Form, HoleKind, Storage};
use frit_c::{File, ReadOptions, Region, read};
use frit_scop::AccessKind;
use frit_scop::model::{Home, Node};
use frit_support::diagnostic::render;
use frit_support::{SourceMap, Table};
use std::fmt::Write;

/// What is read of a file that holds a function with this body, between pragmas, is what it should be.
#[track_caller]
pub(crate) fn check_body(head: &str, body: &str, expected: Expect) {
    check_text(&format!("{head}\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"), expected);
}

/// What is read of a file is what it should be.
#[track_caller]
pub(crate) fn check_text(text: &str, expected: Expect) {
    check(text, ReadOptions::default(), expected);
}

/// What is read of a file without pragmas is what it should be.
#[track_caller]
pub(crate) fn check_auto(text: &str, expected: Expect) {
    check(text, ReadOptions { auto: true, ..ReadOptions::default() }, expected);
}

#[track_caller]
pub(crate) fn check(text: &str, options: ReadOptions, expected: Expect) {
    expected.assert_eq(&show_text(text, options));
}

/// What is read of a file.
pub(crate) fn show_text(text: &str, options: ReadOptions) -> String {
    let mut map = SourceMap::new();
    let id = map.add("a.c", text);
    match read(id, text, &options) {
        Ok(file) => show(&file, &map),
        Err(errors) => render(&map, &errors, false),
    }
}

/// A file that is read without errors.
pub(crate) fn file(text: &str, options: ReadOptions) -> File {
    let id = SourceMap::new().add("a.c", text);
    read(id, text, &options).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn show(file: &File, map: &SourceMap) -> String {
    let mut out = String::new();
    for region in &file.regions {
        show_region(region, &file.text, &mut out);
    }
    for remark in &file.remarks {
        let line = map.position(remark.span).map_or(0, |position| position.line);
        let _ = writeln!(out, "{line}: {}: {}", remark.code, remark.message);
    }
    for left in &file.left_out {
        let line = map.position(left.span).map_or(0, |position| position.line);
        let _ = writeln!(out, "{line}: left out: {}", left.why.as_deref().unwrap_or("alone"));
    }
    out
}

fn show_region(region: &Region, text: &str, out: &mut String) {
    let scop = &region.scop;
    for (param, data) in region.params.iter() {
        let _ = writeln!(out, "{param} = {} : {}", data.text, data.c_type);
    }
    if !scop.assumed.plain_is_universe().unwrap_or(false) {
        let _ = writeln!(out, "assumed {:?}", scop.assumed);
    }
    for (array, data) in scop.arrays.iter() {
        let c = &region.arrays[array];
        let extents: Vec<String> =
            c.extents.iter().map(|extent| extent.clone().unwrap_or_else(|| "?".into())).collect();
        let form = match &c.form {
            Form::Scalar => "scalar".to_string(),
            Form::Nested => "nested".to_string(),
            Form::Linear(strides) => format!("linear({})", strides.join(", ")),
            Form::Pointed => "pointed".to_string(),
            Form::Unknown => "unknown".to_string(),
        };
        let home = match data.home {
            Home::Outside => String::new(),
            Home::Region => " in region".to_string(),
            Home::Body(at) => format!(" in {at}"),
        };
        let live = match (data.is_live_in, data.is_live_out) {
            (true, true) => " live",
            (true, false) => " live-in",
            (false, true) => " live-out",
            (false, false) => "",
        };
        let heap = match c.declaration.as_ref().map(|declaration| &declaration.storage) {
            Some(Storage::Heap { allocation, is_freed, .. }) => {
                format!(" = {allocation}{}", if *is_freed { ", freed" } else { "" })
            }
            Some(Storage::Automatic) => {
                format!(" `{}`", c.declaration.as_ref().map_or("", |declaration| &declaration.text))
            }
            None => String::new(),
        };
        let _ = writeln!(out, "{array} = {} {}[{}] {form}{home}{live}{heap}", c.element, data.name, extents.join(", "));
    }
    show_nodes(region, text, &scop.body, 0, out);
}

fn show_nodes(region: &Region, text: &str, nodes: &[Node], depth: usize, out: &mut String) {
    let scop = &region.scop;
    let indent = "  ".repeat(depth);
    for node in nodes {
        match node {
            Node::Loop(at, body) => {
                let (data, c) = (&scop.loops[*at], &region.loops[*at]);
                let down = if data.is_reversed { " down" } else { "" };
                let leading: String = c.leading.iter().map(|range| format!(" {:?}", &text[range.clone()])).collect();
                let _ = writeln!(out, "{indent}{at}: {} {}{down}{leading}", c.c_type, data.name);
                show_nodes(region, text, body, depth + 1, out);
            }
            Node::Statement(at) => {
                let (data, template) = (&scop.statements[*at], &region.statements[*at]);
                let leading: String =
                    template.leading.iter().map(|range| format!(" {:?}", &text[range.clone()])).collect();
                let _ = writeln!(out, "{indent}{at}: {}{leading}", filled(region, text, *at));
                if let Some(why) = &data.opaque {
                    let _ = writeln!(out, "{indent}    opaque: {why}");
                }
                let _ = writeln!(out, "{indent}    {}", short(&format!("{:?}", data.domain)));
                for access in &data.accesses {
                    let kind = match access.kind {
                        AccessKind::Read => "read",
                        AccessKind::Write => "write",
                        AccessKind::MayWrite => "may write",
                    };
                    let about = if access.is_exact { "" } else { " inexactly" };
                    let _ = writeln!(out, "{indent}    {kind}{about} {}", short(&format!("{:?}", access.relation)));
                }
                if let Some(reduction) = data.reduction {
                    let exact = if reduction.is_exact { " exact" } else { "" };
                    let _ = writeln!(out, "{indent}    reduction {} {}{exact}", reduction.read, reduction.write);
                }
            }
        }
    }
}

/// The text of a statement with its holes in braces.
fn filled(region: &Region, text: &str, statement: frit_scop::Statement) -> String {
    let template = &region.statements[statement];
    let mut out = String::new();
    let mut at = template.range.start;
    for hole in &template.holes {
        assert!(
            at <= hole.range.start && hole.range.end <= template.range.end,
            "holes are in order and in the statement"
        );
        let mark = match &hole.kind {
            HoleKind::Iterator(depth) => format!("i{depth}"),
            HoleKind::Counted(counted) => format!("{:?} {:?} {}", counted.iterators, counted.params, counted.constant),
            HoleKind::Access(positions) => positions.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
            HoleKind::Name(position) => format!("name {position}"),
        };
        let derived = if hole.is_derived { "!" } else { "" };
        let _ = write!(out, "{}{{{}}}<{mark}{derived}>", &text[at..hole.range.start], &text[hole.range.clone()]);
        at = hole.range.end;
    }
    out += &text[at..template.range.end];
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A set or relation without the list of parameters.
fn short(text: &str) -> String {
    text.split_once("-> {")
        .filter(|(before, _)| before.starts_with('['))
        .map_or(text.to_string(), |(_, rest)| format!("{{{rest}"))
}

/// How many entries a table has, as a check that it belongs to another.
pub(crate) fn same_length<I: frit_support::Index, A, B>(one: &Table<I, A>, two: &Table<I, B>) -> bool {
    one.len() == two.len()
}
