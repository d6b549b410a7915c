//! Programs that were compiled before: what the steps of the pipeline made of one, found again by its text, so that the steps need not run.
//!
//! An entry in the object cache names the compiled object and has what a caller must know of it. Its name is a hash of all that is known
//! before a front end runs: the program's file, the entry function that was asked for, the options, the C compiler and this version of Frit. Which
//! other files the program consists of stands in the entry, with a hash of their texts, and where a file was looked for in vain. So the entry is
//! found by the file alone where no front end is needed to tell which function is the entry, or to warn. For a function that is called by its name, another
//! entry says what its arguments are read as; their ranks are part of what the program is found by. An entry whose object is gone, that is damaged,
//! or whose files have changed is as good as none.

use crate::interface::Interface;
use crate::native::cache::{Key, KeyWriter};
use crate::native::foreign;
use crate::native::{Cache, Compiler};
use crate::numpy;
use crate::options::{Engine, Options};
use crate::sac;
use crate::sac::request::{Param, Signature, request_for};
use crate::source;
use crate::source::Unit;
use frit_back::c::{Entry, EntryExtent, EntryParam, EntryParamKind, EntryResult, Site};
use frit_front::sac::core::FunctionId;
use frit_front::sac::core::dispatch::Class;
use frit_front::sac::load::library_file;
use frit_front::sac::specialise::Request;
use frit_ir::array::Program;
use frit_ir::{FailureKind, Scalar};
use frit_lower::{CopyMade, CopyReason};
use frit_support::{Index, SourceMap, Span};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
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
                asked(source.function?, source.request.as_ref())
            }
            _ => unit.call.clone(),
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
        let frit = std::fs::metadata(own_file()?).ok()?;
        let changed = frit.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let options = Options { threads: 0, engine: Engine::Auto, ..options.clone() };
        let search = std::env::var_os(sac::SEARCH_PATH);
        let parts = format!("{} {changed:?} {options:?} {} {search:?} {asked:?}", frit.len(), compiler.identity());
        let c_texts = foreign::texts(&options.c_files);
        let c_texts = c_texts.iter().flat_map(|(path, text)| [path.as_os_str().as_encoded_bytes(), text]);
        let key = Key::of([parts.as_bytes(), name.as_bytes(), text.as_bytes()].into_iter().chain(c_texts));
        Some(Self { cache, key })
    }

    /// The program with these sources, if it was compiled before and its object is still there.
    pub(crate) fn find(&self, sources: &SourceMap) -> Option<Recalled> {
        let kept: Kept = self.read()?;
        let is_same = kept.content == content(sources);
        if is_same { kept.recalled(self.cache) } else { None }
    }

    fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.cache.find_note(self.key)?).ok()
    }

    /// Keeps what the steps made of a program.
    pub(crate) fn remember(&self, unit: &Unit, object: &Path, entry: &Entry, copies: &[CopyMade]) {
        let Some(name) = object.file_name().and_then(|name| name.to_str()) else { return };
        self.write(&Kept::of(unit, name, entry, copies));
    }

    fn write(&self, kept: &impl Serialize) {
        // What cannot be kept is made again the next time.
        if let Ok(text) = serde_json::to_vec(kept) {
            self.cache.insert_note(self.key, &text);
        }
    }
}

/// The file with this code: the command, or a library that another program has loaded.
fn own_file() -> Option<PathBuf> {
    if !cfg!(target_os = "linux") {
        return std::env::current_exe().ok();
    }
    // A line is `from-to rights offset device inode path`.
    let here = own_file as *const () as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().find_map(|line| {
        let (from, rest) = line.split_once('-')?;
        let (to, rest) = rest.split_once(' ')?;
        let address = |digits| usize::from_str_radix(digits, 16).ok();
        (address(from)?..address(to)?).contains(&here).then(|| rest.splitn(5, ' ').nth(4).map(str::trim))?
    })?;
    Some(path.into())
}

/// Keeps what the arguments of a function that was called by its name are read as.
pub(crate) fn remember_call(unit: &Unit, options: &Options, compiler: &Compiler, cache: &Cache) {
    let Some((source, (_, file))) = unit.sac.as_ref().zip(unit.sources.iter().next()) else { return };
    let Some(((selection, signature), function)) = source.call.as_ref().zip(source.function) else { return };
    if let Some(place) = Place::of_file(&unit.name, &file.text, &called(selection), options, compiler, cache) {
        place.write(&KeptCall::of(content(&unit.sources), function, signature));
    }
}

/// What tells a function from the other functions of a program.
fn asked(function: FunctionId, request: Option<&Request>) -> String {
    format!("{function:?} {request:?}")
}

/// What tells a call from calls of other functions, before a front end runs.
fn called(selection: &str) -> String {
    format!("call of {selection}")
}

/// The program in a file in SAC that begins with `main`, found without its front end. Front ends of other languages take no longer than looking a
/// program up.
pub(crate) fn find_main(
    path: &Path,
    options: &Options,
    compiler: &Compiler,
    cache: &Cache,
) -> Option<(Unit, Recalled)> {
    let (name, text) = source::read(path).ok().filter(|_| !numpy::is_python(path))?;
    let kept: Kept = Place::of_file(&name, &text, "", options, compiler, cache)?.read()?;
    kept.found(name, text, cache)
}

/// A function of a program in SAC that was called by its name before.
pub(crate) struct Call {
    name: String,
    text: String,
    content: String,
    function: FunctionId,
    /// What its arguments are read as.
    pub(crate) signature: Signature,
}

impl Call {
    /// That of the program in a file, found without its front end.
    pub(crate) fn of_file(
        path: &Path,
        selection: &str,
        options: &Options,
        compiler: &Compiler,
        cache: &Cache,
    ) -> Option<Self> {
        let (name, text) = source::read(path).ok().filter(|_| !numpy::is_python(path))?;
        let kept: KeptCall = Place::of_file(&name, &text, &called(selection), options, compiler, cache)?.read()?;
        let (content, function) = (kept.content.clone(), FunctionId::new(kept.function));
        Some(Self { name, text, content, function, signature: kept.signature()? })
    }

    /// The program that begins with it, for arguments of these shapes.
    pub(crate) fn find(
        self,
        classes: &[Class],
        options: &Options,
        compiler: &Compiler,
        cache: &Cache,
    ) -> Option<(Unit, Recalled)> {
        let Self { name, text, content, function, .. } = self;
        let asked = asked(function, Some(&request_for(function, classes)));
        let kept: Kept = Place::of_file(&name, &text, &asked, options, compiler, cache)?.read()?;
        if kept.content == content { kept.found(name, text, cache) } else { None }
    }
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
    /// The front end warns of something, which is said each time.
    warns: bool,
    /// Of a program in SAC.
    interface: Option<KeptInterface>,
    object: String,
    name: String,
    params: Vec<KeptParam>,
    results: Vec<(String, Option<usize>)>,
    sites: Vec<(Option<String>, KeptSpan)>,
    is_recursive: bool,
    copies: Vec<(String, KeptSpan)>,
    constraints: Vec<(KeptSpan, BTreeSet<String>)>,
}

#[derive(Serialize, Deserialize)]
struct KeptFile {
    name: String,
    is_library: bool,
}

/// A [`sac::Interface`].
#[derive(Serialize, Deserialize)]
struct KeptInterface {
    function: String,
    is_main: bool,
    params: Vec<KeptPart>,
    results: Vec<KeptPart>,
    takes_words: bool,
    hidden_results: usize,
}

#[derive(Serialize, Deserialize)]
struct KeptPart {
    name: String,
    ty: String,
    tensors: Vec<(String, usize)>,
    rank: Option<usize>,
}

/// What the arguments of a called function are read as.
#[derive(Serialize, Deserialize)]
struct KeptCall {
    /// A hash of the program's files.
    content: String,
    function: usize,
    text: String,
    params: Vec<KeptArgument>,
}

#[derive(Serialize, Deserialize)]
struct KeptArgument {
    name: String,
    ty: String,
    tensors: Vec<(String, usize)>,
    class: KeptClass,
}

#[derive(Serialize, Deserialize)]
enum KeptClass {
    Extents(Vec<Option<i64>>),
    AtLeast(usize),
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
        let interface = match &unit.interface {
            Some(Interface::Sac(interface)) => Some(KeptInterface::of(interface)),
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
            warns: program.is_some_and(|program| !program.warnings.is_empty()),
            interface,
            object: object.into(),
            name: name.clone(),
            params: params.iter().map(param).collect(),
            results: results.iter().map(|result| (result.elem.name().into(), result.rank)).collect(),
            sites: sites.iter().map(site).collect(),
            is_recursive: *is_recursive,
            copies: copies.iter().map(|copy| (copy.reason.explanation().into(), kept_span(copy.span))).collect(),
            constraints: unit.constraints.iter().map(|(&span, names)| (kept_span(span), names.clone())).collect(),
        }
    }

    /// The program whose file has this name and text, if nothing changed and nothing need be said of it.
    fn found(mut self, name: String, text: String, cache: &Cache) -> Option<(Unit, Recalled)> {
        if self.warns {
            return None;
        }
        let mut sources = SourceMap::new();
        sources.add(name.clone(), text);
        for file in &self.files {
            let text = match file.is_library {
                true => library_file(&file.name)?.to_owned(),
                false => std::fs::read_to_string(&file.name).ok()?,
            };
            sources.add(file.name.clone(), text);
        }
        if self.content != content(&sources) || self.missing.iter().any(|path| path.is_file()) {
            return None;
        }
        let interface = Some(Interface::Sac(self.interface.take()?.interface()?));
        let constraints = self.constraints.iter().map(|(span, names)| (span_of(*span), names.clone())).collect();
        let unit = Unit {
            name,
            sources,
            array: Program::default(),
            interface,
            sac: None,
            constraints,
            call: String::new(),
            caller: None,
        };
        Some((unit, self.recalled(cache)?))
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

impl KeptInterface {
    fn of(interface: &sac::Interface) -> Self {
        let sac::Interface { function, is_main, params, results, takes_words, hidden_results } = interface;
        let part = |sac::Part { name, ty, tensors, rank }: &sac::Part| KeptPart {
            name: name.clone(),
            ty: ty.clone(),
            tensors: kept_tensors(tensors),
            rank: *rank,
        };
        Self {
            function: function.clone(),
            is_main: *is_main,
            params: params.iter().map(part).collect(),
            results: results.iter().map(part).collect(),
            takes_words: *takes_words,
            hidden_results: *hidden_results,
        }
    }

    fn interface(self) -> Option<sac::Interface> {
        let part =
            |KeptPart { name, ty, tensors, rank }| Some(sac::Part { name, ty, tensors: tensors_of(&tensors)?, rank });
        Some(sac::Interface {
            function: self.function,
            is_main: self.is_main,
            params: self.params.into_iter().map(part).collect::<Option<_>>()?,
            results: self.results.into_iter().map(part).collect::<Option<_>>()?,
            takes_words: self.takes_words,
            hidden_results: self.hidden_results,
        })
    }
}

impl KeptCall {
    fn of(content: String, function: FunctionId, Signature { text, params }: &Signature) -> Self {
        let param = |Param { name, ty, tensors, class }: &Param| {
            let class = match class.clone() {
                Class::Extents(extents) => KeptClass::Extents(extents),
                Class::AtLeast(rank) => KeptClass::AtLeast(rank),
            };
            KeptArgument { name: name.clone(), ty: ty.clone(), tensors: kept_tensors(tensors), class }
        };
        Self { content, function: function.at(), text: text.clone(), params: params.iter().map(param).collect() }
    }

    fn signature(self) -> Option<Signature> {
        let param = |KeptArgument { name, ty, tensors, class }| {
            let class = match class {
                KeptClass::Extents(extents) => Class::Extents(extents),
                KeptClass::AtLeast(rank) => Class::AtLeast(rank),
            };
            Some(Param { name, ty, tensors: tensors_of(&tensors)?, class })
        };
        Some(Signature { text: self.text, params: self.params.into_iter().map(param).collect::<Option<_>>()? })
    }
}

fn kept_tensors(tensors: &[(Scalar, usize)]) -> Vec<(String, usize)> {
    tensors.iter().map(|&(elem, inner)| (elem.name().into(), inner)).collect()
}

fn tensors_of(kept: &[(String, usize)]) -> Option<Vec<(Scalar, usize)>> {
    kept.iter().map(|(elem, inner)| Some((Scalar::from_name(elem)?, *inner))).collect()
}

fn kept_span(span: Span) -> KeptSpan {
    (span.file, span.start, span.end)
}

fn span_of((file, start, end): KeptSpan) -> Span {
    Span { file, start, end }
}
