//! Programs that were compiled before: what the steps of the pipeline made of one, found again by its text, so that the steps need not run.
//!
//! An entry in the object cache names the compiled object and has what a caller must know of it. Its name is a hash of all that is known
//! before a front end runs: the program's file, the entry function that was asked for, the options, the C compiler and this version of Frit. Which
//! other files the program consists of stands in the entry, with a hash of their texts, and where a file was looked for in vain. So the entry is
//! found by the file alone where no front end is needed to tell which function is the entry. An entry whose object is gone, that is damaged, or whose
//! files have changed is as good as none.

use crate::interface::Interface;
use crate::native::cache::{Key, KeyWriter};
use crate::native::{Cache, Compiler};
use crate::options::{Engine, Options};
use crate::sac;
use crate::source::Unit;
use frit_back::c::{Entry, EntryExtent, EntryParam, EntryParamKind, EntryResult, Site};
use frit_front::sac::load::library_file;
use frit_ir::array::Program;
use frit_ir::{FailureKind, Scalar};
use frit_lower::{CopyMade, CopyReason};
use frit_support::{Index, SourceMap, Span};
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

/// What a program is found by, and where.
pub(crate) struct Place<'c> {
    cache: &'c Cache,
    key: Key,
}

impl<'c> Place<'c> {
    /// That of a loaded program; nothing if this version of Frit cannot be told from others, or if the steps are to run because they are verified.
    pub(crate) fn of_unit(unit: &Unit, options: &Options, compiler: &Compiler, cache: &'c Cache) -> Option<Self> {
        // `main`, or the one function of a file in another language, is what is asked for without a word.
        let asked = match (&unit.sac, &unit.interface) {
            (Some(source), Some(Interface::Sac(interface))) if !interface.is_main => {
                format!("{:?} {:?}", source.function, source.request)
            }
            _ => String::new(),
        };
        let (_, file) = unit.sources.iter().next()?;
        Self::of_file(&unit.name, &file.text, &asked, options, compiler, cache)
    }

    fn of_file(
        name: &str,
        text: &str,
        asked: &str,
        options: &Options,
        compiler: &Compiler,
        cache: &'c Cache,
    ) -> Option<Self> {
        if options.verify {
            return None;
        }
        let frit = std::env::current_exe().and_then(std::fs::metadata).ok()?;
        let changed = frit.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let options = Options { threads: 0, engine: Engine::Auto, ..options.clone() };
        let search = std::env::var_os(sac::SEARCH_PATH);
        let parts = format!("{} {changed:?} {options:?} {} {search:?} {asked:?}", frit.len(), compiler.identity());
        let key = Key::of([parts.as_bytes(), name.as_bytes(), text.as_bytes()]);
        Some(Self { cache, key })
    }

    /// The program with these sources, if it was compiled before and its object is still there.
    pub(crate) fn find(&self, sources: &SourceMap) -> Option<Recalled> {
        let kept = self.read()?;
        let is_same = kept.content == content(sources);
        if is_same { kept.recalled(self.cache) } else { None }
    }

    fn read(&self) -> Option<Kept> {
        serde_json::from_slice(&self.cache.find_note(self.key)?).ok()
    }

    /// Keeps what the steps made of a program.
    pub(crate) fn remember(&self, unit: &Unit, object: &Path, entry: &Entry, copies: &[CopyMade]) {
        let Some(name) = object.file_name().and_then(|name| name.to_str()) else { return };
        let kept = Kept::of(unit, name, entry, copies);
        // What cannot be kept is compiled again the next time.
        if let Ok(text) = serde_json::to_vec(&kept) {
            self.cache.insert_note(self.key, &text);
        }
    }
}

/// The program in a file in SAC that begins with `main`, found without its front end. Front ends of other languages take no longer than looking a
/// program up.
pub(crate) fn find_file(
    path: &Path,
    options: &Options,
    compiler: &Compiler,
    cache: &Cache,
) -> Option<(Unit, Recalled)> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).ok().filter(|_| path.extension().is_some_and(|e| e == "sac"))?;
    let kept = Place::of_file(&name, &text, "", options, compiler, cache)?.read()?;
    let mut sources = SourceMap::new();
    sources.add(name.clone(), text);
    for file in &kept.files {
        let text = match file.is_library {
            true => library_file(&file.name)?.to_owned(),
            false => std::fs::read_to_string(&file.name).ok()?,
        };
        sources.add(file.name.clone(), text);
    }
    if kept.content != content(&sources) || kept.missing.iter().any(|path| path.is_file()) {
        return None;
    }
    let KeptMain { takes_words, hidden_results } = kept.main?;
    let interface = Some(Interface::Sac(sac::Interface::of_main(takes_words, hidden_results)));
    Some((Unit { name, sources, array: Program::default(), interface, sac: None }, kept.recalled(cache)?))
}

/// A hash of all sources.
fn content(sources: &SourceMap) -> String {
    let mut writer = KeyWriter::default();
    for (_, file) in sources.iter() {
        write!(writer, "{:?} {} {}", file.name, file.text.len(), file.text).expect("a hash takes all text");
    }
    writer.key().to_string()
}

/// An entry as it is written. Scalar types, failures and reasons stand by their names.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The program's files after the first.
    files: Vec<KeptFile>,
    /// A hash of all of them.
    content: String,
    /// Where there was no file.
    missing: Vec<PathBuf>,
    /// Of `main` in SAC.
    main: Option<KeptMain>,
    object: String,
    name: String,
    params: Vec<KeptParam>,
    results: Vec<(String, Option<usize>)>,
    sites: Vec<(Option<String>, KeptSpan)>,
    is_recursive: bool,
    copies: Vec<(String, KeptSpan)>,
}

#[derive(Serialize, Deserialize)]
struct KeptFile {
    name: String,
    is_library: bool,
}

/// What [`sac::Interface`] knows of `main`.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct KeptMain {
    takes_words: bool,
    hidden_results: usize,
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
    fn of(unit: &Unit, object: &str, entry: &Entry, copies: &[CopyMade]) -> Self {
        let program = unit.sac.as_ref().map(|source| &source.program);
        let is_library = |number: usize| program.is_some_and(|program| program.library.contains(&(number as u32)));
        let others = unit.sources.iter().skip(1);
        let files = others
            .map(|(file, source)| KeptFile { name: source.name.clone(), is_library: is_library(file.at()) })
            .collect();
        let main = match &unit.interface {
            Some(Interface::Sac(interface)) if interface.is_main => {
                let (takes_words, hidden_results) = (interface.takes_words, interface.hidden_results);
                Some(KeptMain { takes_words, hidden_results })
            }
            _ => None,
        };
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
            files,
            content: content(&unit.sources),
            missing: program.map(|program| program.missing.iter().cloned().collect()).unwrap_or_default(),
            main,
            object: object.into(),
            name: name.clone(),
            params: params.iter().map(param).collect(),
            results: results.iter().map(|result| (result.elem.name().into(), result.rank)).collect(),
            sites: sites.iter().map(site).collect(),
            is_recursive: *is_recursive,
            copies: copies.iter().map(|copy| (copy.reason.explanation().into(), kept_span(copy.span))).collect(),
        }
    }

    /// The program, if its object is still there.
    fn recalled(self, cache: &Cache) -> Option<Recalled> {
        let object = cache.find_named(&self.object)?;
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
