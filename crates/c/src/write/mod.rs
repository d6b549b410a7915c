//! Prints a file with some of its regions transformed; every byte outside of them stays as it is.
//!
//! What happens to a region: [`storage`] finds a place for each array, [`blocks`] says what is printed anew and what as the source has it,
//! [`placement`] where new variables are declared, and [`loops`] prints that, with [`declarations`], [`statements`] and [`expressions`].
//!
//! The new text reads like the source: its names, its indentation, its braces, its comments. Loops that come out as they went in keep their
//! text. Nothing here decides what is transformed; a region that cannot be printed stays as it was, with a remark.

mod blocks;
mod declarations;
mod expressions;
mod header;
pub(crate) mod lexical;
mod loops;
mod names;
mod placement;
mod statements;
mod storage;
#[cfg(test)]
mod tests;
mod turned;

use crate::region::{File, Region, Remark};
pub(crate) use blocks::between_holes;
use frit_scop::program::Program;
use frit_scop::recompute::Evaluation;
use frit_scop::{Array, Scop, Statement};
use frit_support::Span;
use frit_support::Table;
use lexical::{Style, blanked, rest_of_block};
use names::Names;
pub(crate) use statements::end_of_operand;
use std::collections::{BTreeMap, BTreeSet};

/// What became of a region.
#[derive(Clone, Debug)]
pub struct Transformed {
    /// The region's scop after expansion and recomputation: its loops and parameters are those of the region.
    pub scop: Scop,
    /// What each of its statements is in the region, and what else is evaluated in it.
    pub statements: Table<Statement, Evaluation>,
    /// What runs.
    pub program: Program,
    /// Arrays that share storage: the first uses that of the second.
    pub shares: Vec<(Array, Array)>,
    /// What was done, for the comment at the head of the file.
    pub notes: Vec<String>,
}

/// How a file is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// The file begins with a comment that says what was done.
    pub header: bool,
    /// The comment seals the file: [`is_sealed`] holds for it until it is edited.
    pub seal: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { header: true, seal: false }
    }
}

/// Why a user should look at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// A transformed region cannot be printed, so it stays as it is.
    NotPrintable,
    /// A pragma of the source is not printed, as its loop is another one now.
    PragmaDropped,
    /// A macro is written as what it stands for.
    MacroExpanded,
}

impl Reason {
    /// The stable code.
    fn code(self) -> &'static str {
        match self {
            Reason::NotPrintable => "not-printable",
            Reason::PragmaDropped => "pragma-dropped",
            Reason::MacroExpanded => "macro-expanded",
        }
    }
}

/// A file after transformation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its text.
    pub text: String,
    /// What a user should know of what was dropped, and of regions that could not be printed.
    pub remarks: Vec<Remark>,
    /// For each region whether it was replaced.
    pub is_transformed: Vec<bool>,
}

/// Whether the text is what an earlier run wrote and sealed: a run that would transform it again, a little differently, should not.
pub fn is_sealed(text: &str) -> bool {
    header::is_sealed(text)
}

/// Prints the file with these regions transformed; `None` leaves a region as it is.
///
/// # Panics
///
/// If there are more or fewer entries than regions.
pub fn write(file: &File, regions: &[Option<Transformed>], options: &WriteOptions) -> Written {
    assert_eq!(file.regions.len(), regions.len(), "one entry for each region");
    let blank = blanked(&file.text);
    let mut names = Names::of(&blank);
    let mut written = Written { text: String::new(), remarks: Vec::new(), is_transformed: Vec::new() };
    let mut titles: Vec<(String, &[String])> = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut body = String::new();
    let mut at = 0;
    for (region, transformed) in file.regions.iter().zip(regions) {
        let number = counts.entry(&region.function).or_default();
        *number += 1;
        let new = transformed
            .as_ref()
            .map(|transformed| (transformed, write_region(file, &blank, region, transformed, &mut names)));
        written.is_transformed.push(matches!(new, Some((_, Ok(_)))));
        match new {
            None => {}
            Some((transformed, Ok((text, remarks)))) => {
                body += &file.written(at..region.range.start);
                body += &text;
                at = region.range.end;
                written.remarks.extend(remarks);
                written.remarks.extend(expanded(file, region));
                let title = if *number == 1 {
                    region.function.clone()
                } else {
                    format!("{}, region {number}", region.function)
                };
                titles.push((title, &transformed.notes));
            }
            Some((_, Err(reason))) => written.remarks.push(Remark {
                code: Reason::NotPrintable.code(),
                message: format!("the region was left as it is: {reason}"),
                span: file.span(&region.range),
            }),
        }
    }
    body += &file.written(at..file.text.len());
    if options.header && !titles.is_empty() {
        let (before, rest) = header::split(&body);
        let newline = if file.text.contains("\r\n") { "\r\n" } else { "\n" };
        let seal = options.seal.then(|| header::seal(before, rest));
        written.text = format!("{before}{}{rest}", header::comment(&titles, seal.as_deref(), newline));
    } else {
        written.text = body;
    }
    written
}

/// The macros of a region's statements that are written as what they stand for, once each. Heads of loops are new anyway.
fn expanded(file: &File, region: &Region) -> Vec<Remark> {
    let mut names = BTreeSet::new();
    let mut remarks = Vec::new();
    for (range, origin) in file.source.replaced_within(&region.range) {
        let written = &file.source.text[origin.clone()];
        let name = written.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(written);
        let first = file.text[range].split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if !matches!(first, "for" | "while" | "if" | "do" | "switch") && names.insert(name) {
            remarks.push(Remark {
                code: Reason::MacroExpanded.code(),
                message: format!(
                    "`{name}` is written as what it stands for: its definition hides accesses, a loop's variable or several statements"
                ),
                span: Span::new(file.id, origin.start, origin.end),
            });
        }
    }
    remarks
}

/// The new text of a region.
fn write_region(
    file: &File,
    blank: &str,
    region: &Region,
    transformed: &Transformed,
    names: &mut Names,
) -> Result<(String, Vec<Remark>), String> {
    let descending = turned::descending(&transformed.program);
    let program = turned::turned(&transformed.program, &descending);
    let transformed = &Transformed { program, ..transformed.clone() };
    let plan = storage::plan(region, transformed, rest_of_block(blank, region.range.end))?;
    let mut local = names.clone();
    let block = blocks::Builder::new(&file.text, region, transformed, &plan, &descending, &mut local).region();
    let placement = placement::place(transformed, &plan, &block);
    let context = loops::Context {
        file,
        blank,
        region,
        transformed,
        plan: &plan,
        style: Style::of(&file.text, blank, region.range.clone(), &region.indent),
    };
    let printed = loops::print(&context, &placement, &block, local)?;
    // Other regions of the function may be in the same block.
    printed.names.iter().for_each(|name| names.reserve(name));
    Ok((printed.text, printed.remarks))
}
