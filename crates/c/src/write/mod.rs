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
pub(crate) mod outside;
mod placement;
mod statements;
mod storage;
mod turned;

use crate::region::{File, Region, Remark};
pub(crate) use blocks::between_holes;
use frit_scop::program::Program;
use frit_scop::recompute::Evaluation;
use frit_scop::{Array, Scop, Statement};
use frit_support::Span;
use frit_support::Table;
use lexical::{Style, blanked, has_word, rest_of_block};
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
    /// Floating-point values that statements hand on in arrays are kept apart from the operations on them, as they were by memory: compilers would
    /// make one operation of a product and a sum, with other last bits.
    pub keeps_rounding: bool,
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Its text.
    pub text: String,
    /// What was done to each region that was replaced, with its name: for the comment of [`Written::headed`].
    pub done: Vec<(String, Vec<String>)>,
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
pub fn write(file: &File, regions: &[Option<Transformed>]) -> Written {
    assert_eq!(file.regions.len(), regions.len(), "one entry for each region");
    let blank = blanked(&file.text);
    let mut names = Names::of(&blank);
    let mut written = Written::default();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut edits = outside::Edits::default();
    let mut texts: Vec<Option<String>> = Vec::new();
    for (region, transformed) in file.regions.iter().zip(regions) {
        let number = counts.entry(&region.function).or_default();
        *number += 1;
        let new = transformed
            .as_ref()
            .map(|transformed| (transformed, write_region(file, &blank, region, transformed, &mut names)));
        written.is_transformed.push(matches!(new, Some((_, Ok(_)))));
        match new {
            None => texts.push(None),
            Some((transformed, Ok(new))) => {
                for (origin, change) in &new.outside {
                    let array = &region.arrays[*origin];
                    let Some(Ok(outside)) = &array.outside else { continue };
                    match (change, &outside.size) {
                        (storage::Change::Gone, _) => edits.remove(&outside.items),
                        (storage::Change::Resized(to), Ok(size)) => edits.resize(&array.name, size, to),
                        (storage::Change::Resized(_), Err(_)) => {}
                    }
                }
                texts.push(Some(new.text));
                written.remarks.extend(new.remarks);
                written.remarks.extend(expanded(file, region));
                let title = if *number == 1 {
                    region.function.clone()
                } else {
                    format!("{}, region {number}", region.function)
                };
                written.done.push((title, transformed.notes.clone()));
            }
            Some((_, Err(reason))) => {
                texts.push(None);
                written.remarks.push(Remark {
                    code: Reason::NotPrintable.code(),
                    message: format!("the region was left as it is: {reason}"),
                    span: file.span(&region.range),
                });
            }
        }
    }
    let edits = edits.finish(&file.text, &blank, Vec::new());
    let changed = file.regions.iter().zip(&texts).filter(|(_, text)| text.is_some()).map(|(region, _)| &region.range);
    let file = &File { source: file.source.keeping(changed), ..file.clone() };
    let mut at = 0;
    for (region, text) in file.regions.iter().zip(&texts) {
        let Some(text) = text else { continue };
        written.text += &outside::edited(file, at..region.range.start, &edits);
        written.text += text;
        written.text += &outside::freed_behind(file, region, &edits, newline(&file.text));
        at = region.range.end;
    }
    written.text += &outside::edited(file, at..file.text.len(), &edits);
    written
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

impl Written {
    /// The text with a comment at its head that says what was done. It may seal the file: [`is_sealed`] holds for it until it is edited.
    pub fn headed(&self, seal: bool) -> String {
        if self.done.is_empty() {
            return self.text.clone();
        }
        let (before, rest) = header::split(&self.text);
        let seal = seal.then(|| header::seal(before, rest));
        format!("{before}{}{rest}", header::comment(&self.done, seal.as_deref(), newline(&self.text)))
    }
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

/// For each type of elements the name of a variable that is 1, which compilers do not know. A product by it is the same value, and none that they would
/// make one operation of with a sum it came from: `(a * b) * one + c` is at most `fma(a * b, 1, c)`.
fn ones(region: &Region, transformed: &Transformed, names: &mut Names) -> BTreeMap<String, String> {
    let arrays = region.arrays.iter().filter(|(array, _)| transformed.keeps_rounding && region.hands_on(*array));
    let elements: BTreeSet<String> = arrays.map(|(_, array)| array.element.clone()).collect();
    elements.into_iter().map(|element| (element, names.fresh("one", 1).remove(0))).collect()
}

/// A region as it is written.
struct WrittenRegion {
    text: String,
    remarks: Vec<Remark>,
    /// What happens to arrays that are declared outside of it.
    outside: BTreeMap<Array, storage::Change>,
}

/// The new text of a region.
fn write_region(
    file: &File,
    blank: &str,
    region: &Region,
    transformed: &Transformed,
    names: &mut Names,
) -> Result<WrittenRegion, String> {
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
        ones: ones(region, transformed, &mut local),
    };
    let printed = loops::print(&context, &placement, &block, local)?;
    // Other regions of the function may be in the same block.
    printed.names.iter().for_each(|name| names.reserve(name));
    let mut text = String::new();
    for (element, one) in context.ones.iter().filter(|(_, one)| has_word(&printed.text, one)) {
        names.reserve(one);
        let line_end = format!("{}{}", context.style.newline, region.indent);
        text += &format!("volatile {element} {one}_read = 1;{line_end}const {element} {one} = {one}_read;{line_end}");
    }
    let text = text + &printed.text;
    Ok(WrittenRegion { text, remarks: printed.remarks, outside: plan.outside })
}
