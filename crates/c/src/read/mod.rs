//! From the text of a file to its regions.
//!
//! The compiler reads the file (see `ast`). Then, in the order of reading:
//! - `syntax`, `names`, `facts`: what the text says, without regard to regions;
//! - `regions`, `auto`: where regions are;
//! - `purity`, `writes`: what functions do, what a region may change;
//! - `affine`, `convert`: integer expressions; what is taken for granted of them is said in `convert`;
//! - `builder`, `places`, `effects`, `statements`: the statements of a region and what they access;
//! - `selectors`, `buffers`: integers that exchange their values, and what arrays of pointers hold;
//! - `delinearise`, `liveness`, `carried`, `exchange`, `aliases`, `opening`, `finish`, `notes`: shapes of arrays, and the sets and relations of it all;
//! - `outside`: what stands in the text for arrays that are declared outside.

mod affine;
mod aliases;
mod auto;
mod buffers;
mod builder;
mod carried;
mod checks;
mod convert;
mod delinearise;
mod effects;
mod exchange;
mod facts;
mod finish;
mod liveness;
mod names;
mod notes;
mod opening;
mod outside;
mod places;
mod purity;
mod regions;
mod restate;
mod selectors;
mod statements;
pub(crate) mod syntax;
mod tidy;
mod writes;

use crate::ast::{CompileOptions, Expanded, Message, Tree, Unit, Use};
use crate::region::{File, Item, LeftOut, Pinned, Region, Remark};
use crate::signature;
use crate::source::{self, Source};
use frit_support::{Diagnostic, FileId, Span};
use restate::Odd;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// What is read as a region, and what is taken for granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Loop nests that qualify are regions also where no pragma says so.
    pub auto: bool,
    /// Pointers and arrays of different names never overlap.
    pub assume_no_alias: bool,
    /// How the file is compiled.
    pub compile: CompileOptions,
}

/// Why a region stays as it is, or a part of it is one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A loop or condition is not affine.
    NotAffine,
    /// The variable of a loop has uses elsewhere.
    CounterUsed,
    /// A statement is not understood.
    Opaque,
    /// Pointers may overlap.
    MayAlias,
    /// A line of the preprocessor stands in the region.
    Preprocessor,
    /// A macro is used as a statement.
    MacroStatement,
    /// `return`, `goto` or a label.
    Jump,
    /// A declaration that cannot be moved.
    Declaration,
    /// The pragmas do not stand in one block.
    Misplaced,
    /// The region is too large, or nested too deeply.
    TooLarge,
}

impl Reason {
    /// The stable code.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Reason::NotAffine => "not-affine",
            Reason::CounterUsed => "loop-variable-used",
            Reason::Opaque => "opaque-statement",
            Reason::MayAlias => "may-alias",
            Reason::Preprocessor => "preprocessor-in-region",
            Reason::MacroStatement => "macro-statement",
            Reason::Jump => "jump-in-region",
            Reason::Declaration => "declaration-in-region",
            Reason::Misplaced => "misplaced-region",
            Reason::TooLarge => "region-too-large",
        }
    }
}

/// Functions whose trees are higher are left as they are: the passes over them recurse.
const HIGHEST: usize = 250;
/// Regions of more nodes are left as they are.
const MOST_NODES: usize = 200_000;
/// Macros are not replaced in each other more deeply.
const MOST_ROUNDS: usize = 12;
/// The names that nothing declares, in one file.
const MOST_UNDECLARED: usize = 100;

/// The regions of a C file, and remarks on what was not understood.
///
/// # Errors
///
/// Pragmas do not match, or the file is no C.
pub fn read(id: FileId, text: &str, options: &ReadOptions) -> Result<File, Vec<Diagnostic>> {
    let mut source = Source::plain(text);
    let mut now = text.to_string();
    // Of the text as it is, and then with macros replaced that hide what has to be written in another way.
    let mut tree = compile(id, text, &options.compile)?;
    let unused = tidy::unused(&tree).map(|(_, function, what)| (function, what)).collect();
    // Functions whose macros stay: they would be other ones without these.
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for round in 0.. {
        let mut read = read_text(id, &source, &tree, options).map_err(|errors| source.diagnostics(errors))?;
        let mut next = |marks: &Marks| {
            if round < MOST_ROUNDS { changed(id, &now, &tree, marks, &mut kept, options) } else { None }
        };
        let mut change = next(&read.marks);
        let mut left_out = Vec::new();
        if options.auto && change.is_none() {
            // Loops in no region are looked at once regions are what they will be; what hides their reasons is changed as well.
            let mut more;
            (left_out, more) = read_left_out(id, &source, &tree, options, &read.taken);
            if more.add(read.marks) {
                change = next(&more);
            }
        }
        if let Some(Changed { text, tree: other, edits }) = change {
            source.replace(&edits);
            (now, tree) = (text, other);
            continue;
        }
        read.regions.iter_mut().for_each(|region| place(region, &source));
        read.remarks.iter_mut().for_each(|remark| remark.span = source.span(remark.span));
        left_out.iter_mut().for_each(|of| of.span = source.span(of.span));
        read.remarks.sort_by_key(|remark: &Remark| remark.span);
        read.remarks.dedup();
        let signatures = signature::all(&tree);
        let undeclared = std::mem::take(&mut tree.undeclared);
        let ReadText { regions, remarks, .. } = read;
        return Ok(File { id, text: now, source, regions, remarks, left_out, signatures, undeclared, unused });
    }
    unreachable!("the last round returns")
}

/// A text that is read instead of another.
struct Changed {
    text: String,
    /// What the compiler reads of it.
    tree: Tree,
    /// Where it differs from the other.
    edits: Vec<source::Edit>,
}

/// The text with macros replaced that hide something, or else with loops said in another way that the reader could not follow; `None` if there
/// is nothing to change.
fn changed(
    id: FileId,
    text: &str,
    tree: &Tree,
    marks: &Marks,
    kept: &mut BTreeSet<usize>,
    options: &ReadOptions,
) -> Option<Changed> {
    if let Some((expanded, next)) = seen(id, text, tree, &marks.hidden, kept, options) {
        return Some(Changed { text: expanded.text, tree: next, edits: expanded.replaced });
    }
    let changes = restate::ordered(&restate::restated(tree, &marks.odd));
    let (text, edits) = source::edited(text, &changes);
    let next = if edits.is_empty() { None } else { compile(id, &text, &options.compile).ok() };
    next.filter(|next| next.has_all_of(tree)).map(|tree| Changed { text, tree, edits })
}

/// The text with these macros replaced, and what the compiler reads of it; `None` if none can be. Functions that would be other ones keep theirs:
/// they are added to `kept`.
fn seen(
    id: FileId,
    text: &str,
    tree: &Tree,
    hidden: &BTreeSet<usize>,
    kept: &mut BTreeSet<usize>,
    options: &ReadOptions,
) -> Option<(Expanded, Tree)> {
    loop {
        let is_free = |used: &&Use| {
            let mut around = tree.functions_around(used).peekable();
            around.peek().is_some() && around.all(|function| !kept.contains(&function))
        };
        let uses: Vec<&Use> = hidden.iter().map(|used| &tree.uses[*used]).filter(is_free).collect();
        let expanded = Expanded::of(text, &uses);
        if expanded.replaced.is_empty() {
            return None;
        }
        let next = compile(id, &expanded.text, &options.compile).ok();
        let differing = match &next {
            Some(next) => tree.differing(next, &uses),
            None => uses.iter().flat_map(|used| tree.functions_around(used)).collect(),
        };
        match next.filter(|_| differing.is_empty()) {
            Some(next) => return Some((expanded, next)),
            None => kept.extend(differing),
        }
    }
}

/// What the compiler reads of a text. A function without a region that it does not accept is left out.
fn compile(id: FileId, text: &str, options: &CompileOptions) -> Result<Tree, Vec<Diagnostic>> {
    frit_support::with_deep_stack(|| compile_here(id, text, options))
}

fn compile_here(id: FileId, text: &str, options: &CompileOptions) -> Result<Tree, Vec<Diagnostic>> {
    let failed = |why: String| vec![Diagnostic::error("c-compiler", why).label(Span::new(id, 0, 0), "here")];
    let mut unit = Unit::parse(text, options, None).map_err(failed)?;
    // What nothing declares is given on the command line that is not known here: an integer.
    let name = |message: &Message| {
        let name = message.text.strip_prefix("use of undeclared identifier '")?.split('\'').next()?;
        Some(name.to_string())
    };
    let mut errors = unit.errors();
    let undeclared: BTreeSet<String> = errors.iter().filter_map(name).take(MOST_UNDECLARED).collect();
    if !undeclared.is_empty() {
        let prelude: String = undeclared.iter().map(|name| format!("extern const int {name};\n")).collect();
        unit = Unit::parse(text, options, Some(&prelude)).map_err(failed)?;
        // What is no integer is no less undeclared.
        errors = if unit.errors().is_empty() { Vec::new() } else { errors };
    }
    let mut tree = Tree::of(&unit, text, &undeclared);
    tree.undeclared = undeclared;
    errors.retain(|error| {
        let function = error.place.as_ref().ok().and_then(|place| regions::function_at(&tree, place));
        match function.filter(|function| !regions::is_in_region(&tree, *function)).map(|function| function.id()) {
            Some(function) => {
                tree.leave_out(function);
                false
            }
            None => !tree.is_left_out(error.place.as_ref().ok()),
        }
    });
    if errors.is_empty() { Ok(tree) } else { Err(refused(id, text, errors)) }
}

impl File {
    /// A text that this file has become, without declarations that have no use any more.
    ///
    /// # Errors
    ///
    /// The compiler does not accept it as it does the file: what it says first, and the line that it says it of.
    pub fn tidied(&self, text: &str, options: &CompileOptions) -> Result<String, String> {
        let mut text = text.to_string();
        for _ in 0..MOST_ROUNDS {
            let of_line = |words: &str, at: usize| {
                let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
                format!("{words}: `{}`", text[line..].lines().next().unwrap_or_default().trim())
            };
            let tree = compile(self.id, &text, options).map_err(|diagnostics| {
                let first = diagnostics.into_iter().next();
                let label = first.as_ref().and_then(|first| first.labels.first());
                match label.filter(|label| label.span.end > 0) {
                    Some(label) => of_line(&label.message, label.span.start as usize),
                    None => first.map_or_else(String::new, |first| first.message),
                }
            })?;
            // A function that the compiler does not accept is as good as none.
            if let Some(lost) = self.signatures.names().find(|name| !tree.functions().any(|of| of.name() == *name)) {
                return Err(format!("`{lost}` is no function any more"));
            }
            // A name that is not declared is no number here.
            if let Some(unknown) = tree.undeclared.difference(&self.undeclared).next() {
                let at = outside::places(&text, unknown, 0..text.len()).next().map_or(0, |place| place.start);
                return Err(of_line(&format!("use of undeclared identifier '{unknown}'"), at));
            }
            match tidy::tidied(&tree, &self.unused) {
                Some(next) => text = next,
                None => break,
            }
        }
        Ok(text)
    }
}

/// The most errors that are told of a file.
const MOST_ERRORS: usize = 5;

/// The messages of the compiler on a file that it refuses.
fn refused(id: FileId, text: &str, errors: Vec<Message>) -> Vec<Diagnostic> {
    let of = |error: Message| match error.place {
        Ok(place) => {
            let word = text[place.start.min(text.len())..]
                .bytes()
                .take_while(|byte| crate::write::lexical::is_word(*byte))
                .count();
            let end = (place.start + word.max(1)).min(text.len());
            Diagnostic::error("c-syntax", "the compiler does not accept this file")
                .label(Span::new(id, place.start.min(end), end), error.text)
        }
        Err(place) => {
            let message = if place.is_empty() { error.text } else { format!("{place}: {}", error.text) };
            Diagnostic::error("c-syntax", message).label(Span::new(id, 0, 0), "while this file is read")
        }
    };
    errors.into_iter().take(MOST_ERRORS).map(of).collect()
}

/// Turns the places of a region in the text that is read into those of the source.
fn place(region: &mut Region, source: &Source) {
    let scop = &mut region.scop;
    scop.loops.iter_mut().for_each(|(_, data)| data.span = source.span(data.span));
    scop.arrays.iter_mut().for_each(|(_, data)| data.span = source.span(data.span));
    scop.statements.iter_mut().for_each(|(_, data)| data.span = source.span(data.span));
}

/// What stands in the way of reading a text.
#[derive(Debug, Default)]
struct Marks {
    /// The uses of macros that hide what has to be seen.
    hidden: BTreeSet<usize>,
    /// What may be said in another way.
    odd: Odd,
}

impl Marks {
    /// Adds others; true if some of these were not among them.
    fn add(&mut self, others: Marks) -> bool {
        let is_more = !self.hidden.is_subset(&others.hidden);
        self.hidden.extend(others.hidden);
        self.odd.add(others.odd) || is_more
    }
}

/// What is read of a text.
struct ReadText {
    regions: Vec<Region>,
    remarks: Vec<Remark>,
    /// The bytes of all regions, also of those that stay as they are.
    taken: Vec<Range<usize>>,
    marks: Marks,
}

/// The regions of the text that is read.
fn read_text(id: FileId, source: &Source, tree: &Tree, options: &ReadOptions) -> Result<ReadText, Vec<Diagnostic>> {
    let (found, mut remarks) = regions::find(tree, id)?;
    let facts = facts::Facts::of(tree);
    let purity = purity::Purity::new(&facts);
    let (hidden, odd) = (RefCell::default(), RefCell::default());
    let mut regions: Vec<Region> = Vec::new();
    let span_of = |region: &regions::Found<'_>| {
        Some(region.statements.first()?.start_byte()..region.statements.last()?.end_byte())
    };
    let mut taken = found.iter().filter_map(span_of).collect();
    let context =
        opening::Reading { facts: &facts, purity: &purity, options, file: id, source, hidden: &hidden, odd: &odd };
    for region in found {
        let read = context.region(&region);
        if let Some((inside, remark)) = auto::steps(context, &region, &read) {
            regions.extend(inside);
            remarks.extend(remark);
            continue;
        }
        match read {
            Ok((region, more)) => {
                remarks.extend(more);
                regions.extend(region);
            }
            Err(more) => remarks.extend(more),
        }
    }
    if options.auto {
        let mut search = auto::Search { reading: context, taken, regions, remarks: Vec::new() };
        search.file();
        (taken, regions) = (search.taken, search.regions);
        remarks.extend(search.remarks);
        regions.sort_by_key(|region| region.range.start);
    }
    pin_in_others(&mut regions);
    let marks = Marks { hidden: hidden.into_inner(), odd: odd.into_inner() };
    Ok(ReadText { regions, remarks, taken, marks })
}

/// Text in one region is written with that region, so what is there of an array of another region stays, and with it the rest: an array whose
/// `free` goes and whose `malloc` stays would leak.
fn pin_in_others(regions: &mut [Region]) {
    let ranges: Vec<Range<usize>> = regions.iter().map(|region| region.range.clone()).collect();
    for (own, region) in regions.iter_mut().enumerate() {
        let is_in_other = |item: &&Item| {
            let others = ranges.iter().enumerate().filter(|(other, _)| *other != own);
            others.into_iter().any(|(_, range)| range.start < item.whole.end && item.whole.start < range.end)
        };
        for array in region.arrays.iter_mut().map(|(_, array)| array) {
            if let Some(Ok(outside)) = &array.outside
                && let Some(item) = outside.items.iter().find(is_in_other)
            {
                let why = "has it in another region".to_string();
                array.outside = Some(Err(Pinned { why, range: item.whole.clone() }));
            }
        }
    }
}

/// The loops in no region, where the bytes of all regions are known; and what stands in the way of reading them.
fn read_left_out(
    id: FileId,
    source: &Source,
    tree: &Tree,
    options: &ReadOptions,
    taken: &[Range<usize>],
) -> (Vec<LeftOut>, Marks) {
    let facts = facts::Facts::of(tree);
    let purity = purity::Purity::new(&facts);
    let (hidden, odd) = (RefCell::default(), RefCell::default());
    let reading =
        opening::Reading { facts: &facts, purity: &purity, options, file: id, source, hidden: &hidden, odd: &odd };
    let search = auto::Search { reading, taken: taken.to_vec(), regions: Vec::new(), remarks: Vec::new() };
    let left_out = search.left_out();
    (left_out, Marks { hidden: hidden.into_inner(), odd: odd.into_inner() })
}
