//! From the text of a file to its regions.
//!
//! Macros that stand for statements are replaced first (see [`Source`]). Then, in the order of reading:
//! - `syntax`, `types`, `names`, `facts`: what the text says, without regard to regions;
//! - `regions`, `auto`: where regions are;
//! - `purity`, `writes`: what functions do, what a region may change;
//! - `affine`, `convert`: integer expressions; what is taken for granted of them is said in `convert`;
//! - `builder`, `places`, `effects`, `statements`: the statements of a region and what they access;
//! - `delinearise`, `liveness`, `carried`, `aliases`, `opening`, `finish`, `notes`: shapes of arrays, and the sets and relations of it all.

mod affine;
mod aliases;
mod auto;
mod builder;
mod carried;
mod convert;
mod delinearise;
mod effects;
pub(crate) mod facts;
mod finish;
mod liveness;
mod names;
mod notes;
mod opening;
mod places;
mod purity;
mod regions;
mod statements;
pub(crate) mod syntax;
mod types;
mod writes;

use crate::expansion::Source;
use crate::region::{File, Region, Remark};
use facts::Macro;
use frit_support::{Diagnostic, FileId, Span};
use std::collections::BTreeMap;
use tree_sitter::Tree;

/// What is read as a region, and what is taken for granted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Loop nests that qualify are regions also where no pragma says so.
    pub auto: bool,
    /// Pointers and arrays of different names never overlap.
    pub assume_no_alias: bool,
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
    /// A construct that the grammar does not know.
    Unreadable,
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
            Reason::Unreadable => "unreadable-region",
            Reason::TooLarge => "region-too-large",
        }
    }
}

/// Functions whose trees are higher are left as they are: the passes over them recurse.
const HIGHEST: usize = 250;
/// Regions of more nodes are left as they are.
const MOST_NODES: usize = 200_000;

/// The regions of a C file, and remarks on what was not understood.
///
/// # Errors
///
/// Pragmas do not match, or a function that has a region in it is no C.
pub fn read(id: FileId, text: &str, options: &ReadOptions) -> Result<File, Vec<Diagnostic>> {
    let too_long = |what: &str| vec![Diagnostic::error("c-syntax", what).label(Span::new(id, 0, 0), "here")];
    let parse = |text: &str| syntax::parse(text).ok_or_else(|| too_long("the file cannot be parsed"));
    let tree = parse(text)?;
    let macros = facts::macros(tree.root_node(), text);
    let (source, expanded) = Source::expanded(text, &macros);
    let tree = if expanded == text { tree } else { parse(&expanded)? };
    let (mut regions, mut remarks) =
        read_text(id, &expanded, &tree, &macros, options).map_err(|errors| source.diagnostics(errors))?;
    regions.iter_mut().for_each(|region| place(region, &source));
    remarks.iter_mut().for_each(|remark| remark.span = source.span(remark.span));
    remarks.sort_by_key(|remark: &Remark| remark.span);
    remarks.dedup();
    Ok(File { id, text: expanded, source, regions, remarks })
}

/// Turns the places of a region in the text that is read into those of the source.
fn place(region: &mut Region, source: &Source) {
    let scop = &mut region.scop;
    scop.loops.iter_mut().for_each(|(_, data)| data.span = source.span(data.span));
    scop.arrays.iter_mut().for_each(|(_, data)| data.span = source.span(data.span));
    scop.statements.iter_mut().for_each(|(_, data)| data.span = source.span(data.span));
}

/// The regions of the text that is read, and remarks.
fn read_text(
    id: FileId,
    text: &str,
    tree: &Tree,
    macros: &BTreeMap<String, Macro>,
    options: &ReadOptions,
) -> Result<(Vec<Region>, Vec<Remark>), Vec<Diagnostic>> {
    let root = tree.root_node();
    let (found, mut remarks) = regions::find(root, text, id, macros)?;
    let facts = facts::Facts::of(root, text, macros);
    let purity = purity::Purity::new(&facts);
    let mut regions: Vec<Region> = Vec::new();
    let span_of = |region: &regions::Found<'_>| {
        Some(region.statements.first()?.start_byte()..region.statements.last()?.end_byte())
    };
    let taken = found.iter().filter_map(span_of).collect();
    for region in found {
        match opening::region(&region, &facts, &purity, *options, id) {
            Ok((region, more)) => {
                remarks.extend(more);
                regions.extend(region);
            }
            Err(more) => remarks.extend(more),
        }
    }
    if options.auto {
        let mut search = auto::Search {
            facts: &facts,
            purity: &purity,
            options: *options,
            file: id,
            taken,
            regions,
            remarks: Vec::new(),
            rejected: Vec::new(),
        };
        search.file(root);
        regions = search.regions;
        remarks.extend(search.remarks);
        if regions.is_empty() {
            remarks.extend(search.rejected);
        }
        regions.sort_by_key(|region| region.range.start);
    }
    Ok((regions, remarks))
}
