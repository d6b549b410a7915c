//! Programs that were compiled before: what the steps of the pipeline made of one, found again by the program itself, so that the steps need not run.
//!
//! An entry in the object cache names the compiled object and has what a caller must know of it. Its name is a hash of all that the steps depend
//! on: the program as the front end made it, with its places, the sources that messages show, the options, the C compiler and this version of
//! Frit. An entry whose object is gone, or that is damaged, is as good as none.

use crate::native::cache::{Key, KeyWriter};
use crate::native::{Cache, Compiler};
use crate::options::{Engine, Options};
use crate::source::Unit;
use frit_back::c::{Entry, EntryExtent, EntryParam, EntryParamKind, EntryResult, Site};
use frit_ir::{FailureKind, Scalar};
use frit_lower::{CopyMade, CopyReason};
use frit_support::Span;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A program that was compiled before.
pub(crate) struct Recalled {
    /// The compiled object.
    pub(crate) object: PathBuf,
    /// What a caller must know of it.
    pub(crate) entry: Entry,
    /// Copies of arrays that the program did not ask for.
    pub(crate) copies: Vec<CopyMade>,
}

/// What a program is found by; nothing if this version of Frit cannot be told from others, or if the steps are to run because they are verified.
pub(crate) fn key(unit: &Unit, options: &Options, compiler: &Compiler) -> Option<Key> {
    if options.verify {
        return None;
    }
    let frit = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    let changed = frit.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let options = Options { threads: 0, engine: Engine::Auto, ..options.clone() };
    let mut text = KeyWriter::default();
    // The program with its places and names, which its text form leaves out. Programs may nest deeply.
    let write = |text: &mut KeyWriter| {
        write!(text, "{} {changed:?} {options:?} {} ", frit.len(), compiler.identity())?;
        for (_, file) in unit.sources.iter() {
            write!(text, "{:?} {} {}", file.name, file.text.len(), file.text)?;
        }
        write!(text, "{:?}", unit.array)
    };
    frit_support::with_deep_stack(|| write(&mut text)).ok()?;
    Some(text.key())
}

/// The program, if it was compiled before and its object is still there.
pub(crate) fn find(cache: &Cache, key: Key) -> Option<Recalled> {
    let kept: Kept = serde_json::from_slice(&cache.find_note(key)?).ok()?;
    let object = cache.find_named(&kept.object)?;
    kept.recalled(object)
}

/// Keeps what the steps made of a program.
pub(crate) fn remember(cache: &Cache, key: Key, object: &Path, entry: &Entry, copies: &[CopyMade]) {
    let Some(name) = object.file_name().and_then(|name| name.to_str()) else { return };
    let kept = Kept::of(name, entry, copies);
    // What cannot be kept is compiled again the next time.
    if let Ok(text) = serde_json::to_vec(&kept) {
        cache.insert_note(key, &text);
    }
}

/// An entry as it is written. Scalar types, failures and reasons stand by their names.
#[derive(Serialize, Deserialize)]
struct Kept {
    object: String,
    name: String,
    params: Vec<KeptParam>,
    results: Vec<(String, Option<usize>)>,
    sites: Vec<(Option<String>, KeptSpan)>,
    is_recursive: bool,
    copies: Vec<(String, KeptSpan)>,
}

/// Number of the file, first byte, the byte after the last.
type KeptSpan = (u32, u32, u32);

#[derive(Serialize, Deserialize)]
struct KeptParam {
    name: String,
    elem: String,
    kind: KeptKind,
}

#[derive(Serialize, Deserialize)]
enum KeptKind {
    Scalar { size_of: Option<(usize, usize)> },
    Array { extents: Vec<KeptExtent>, consumed: bool },
}

#[derive(Serialize, Deserialize)]
enum KeptExtent {
    Constant(i64),
    Param(usize),
}

impl Kept {
    fn of(object: &str, entry: &Entry, copies: &[CopyMade]) -> Self {
        let Entry { name, params, results, sites, is_recursive } = entry;
        let extent = |extent: &EntryExtent| match *extent {
            EntryExtent::Constant(value) => KeptExtent::Constant(value),
            EntryExtent::Param(at) => KeptExtent::Param(at),
        };
        let kind = |kind: &EntryParamKind| match kind {
            EntryParamKind::Scalar { size_of } => KeptKind::Scalar { size_of: *size_of },
            EntryParamKind::Array { extents, consumed } => {
                KeptKind::Array { extents: extents.iter().map(extent).collect(), consumed: *consumed }
            }
        };
        let param = |param: &EntryParam| KeptParam {
            name: param.name.clone(),
            elem: param.elem.name().into(),
            kind: kind(&param.kind),
        };
        let site = |site: &Site| (site.kind.map(|kind| kind.code().to_owned()), kept_span(site.span));
        Self {
            object: object.into(),
            name: name.clone(),
            params: params.iter().map(param).collect(),
            results: results.iter().map(|result| (result.elem.name().into(), result.rank)).collect(),
            sites: sites.iter().map(site).collect(),
            is_recursive: *is_recursive,
            copies: copies.iter().map(|copy| (copy.reason.explanation().into(), kept_span(copy.span))).collect(),
        }
    }

    fn recalled(self, object: PathBuf) -> Option<Recalled> {
        let extent = |extent: &KeptExtent| match *extent {
            KeptExtent::Constant(value) => EntryExtent::Constant(value),
            KeptExtent::Param(at) => EntryExtent::Param(at),
        };
        let kind = |kind: &KeptKind| match kind {
            KeptKind::Scalar { size_of } => EntryParamKind::Scalar { size_of: *size_of },
            KeptKind::Array { extents, consumed } => {
                EntryParamKind::Array { extents: extents.iter().map(extent).collect(), consumed: *consumed }
            }
        };
        let param = |param: &KeptParam| {
            let elem = Scalar::from_name(&param.elem)?;
            Some(EntryParam { name: param.name.clone(), elem, kind: kind(&param.kind) })
        };
        let site = |(kind, span): &(Option<String>, KeptSpan)| {
            let kind = match kind {
                Some(code) => Some(FailureKind::from_code(code)?),
                None => None,
            };
            Some(Site { kind, span: span_of(*span) })
        };
        let result =
            |(elem, rank): &(String, Option<usize>)| Some(EntryResult { elem: Scalar::from_name(elem)?, rank: *rank });
        let copy = |(reason, span): &(String, KeptSpan)| {
            let reason = CopyReason::ALL.into_iter().find(|known| known.explanation() == reason)?;
            Some(CopyMade { span: span_of(*span), reason })
        };
        let entry = Entry {
            name: self.name,
            params: self.params.iter().map(param).collect::<Option<_>>()?,
            results: self.results.iter().map(result).collect::<Option<_>>()?,
            sites: self.sites.iter().map(site).collect::<Option<_>>()?,
            is_recursive: self.is_recursive,
        };
        let copies = self.copies.iter().map(copy).collect::<Option<_>>()?;
        Some(Recalled { object, entry, copies })
    }
}

fn kept_span(span: Span) -> KeptSpan {
    (span.file, span.start, span.end)
}

fn span_of((file, start, end): KeptSpan) -> Span {
    Span { file, start, end }
}
