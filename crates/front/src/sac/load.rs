//! From a file to a checked program: finds and reads what it includes and the modules it uses.

use super::ast;
use super::check::{self, Origin, Unit};
use super::core::Program;
use super::library;
use super::source::{Included, Source, Vocabulary, include_from_disk, preprocess};
use frit_support::diagnostic::Severity;
use frit_support::{Diagnostic, FileId, SourceMap, Span};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that has been read, but not parsed yet.
struct Pending {
    name: String,
    text: Text,
    origin: Origin,
    /// Modules that it names, and those it sees without.
    modules: Vec<String>,
    given: Vec<String>,
}

/// Where the words of a file are.
enum Text {
    /// Here.
    Read(Source),
    /// Those of a module of the library, which this process keeps; here as well if it was only just read.
    Library(Arc<LibraryModule>, Option<Source>),
}

impl Text {
    fn vocabulary(&self) -> Vocabulary {
        match self {
            Text::Read(source) => source.vocabulary(),
            Text::Library(module, _) => module.vocabulary.clone(),
        }
    }

    fn macro_uses(&self) -> &BTreeMap<Span, String> {
        match self {
            Text::Read(source) => source.macro_uses(),
            Text::Library(module, _) => &module.macro_uses,
        }
    }

    /// True if the file itself needs the module, one that is only read if something does.
    fn needs(&self, module: &str) -> bool {
        match self {
            Text::Read(source) => source.needs(module),
            Text::Library(known, _) => known.needs.contains(&module),
        }
    }

    /// The tree, and what is wrong with it.
    fn parse(self, words: &Vocabulary) -> (Arc<ast::File>, Vec<Diagnostic>) {
        let (module, source) = match self {
            Text::Library(module, source) => (module, source),
            Text::Read(source) => {
                let (tree, messages) = source.parse(words);
                return (Arc::new(tree), messages);
            }
        };
        if let Some((_, tree)) = lock(&module.trees).iter().find(|(known, _)| known == words) {
            return (tree.clone(), Vec::new());
        }
        let source = source.unwrap_or_else(|| {
            let mut sources = SourceMap::new();
            for _ in 0..module.first {
                sources.add("", "");
            }
            read_library(&mut sources, module.name)
        });
        let (tree, messages) = source.parse(words);
        let tree = Arc::new(tree);
        if messages.is_empty() {
            lock(&module.trees).push((words.clone(), tree.clone()));
        }
        (tree, messages)
    }
}

/// What a process keeps of a module of the library: programs one after the other mostly number its files alike.
struct LibraryModule {
    name: &'static str,
    /// The number of its first file.
    first: usize,
    /// Its file and those that it includes, with their texts.
    files: Vec<(String, String)>,
    modules: Vec<String>,
    /// The modules that are only read if something needs them, and that it needs.
    needs: Vec<&'static str>,
    vocabulary: Vocabulary,
    macro_uses: BTreeMap<Span, String>,
    /// Its trees, by the words that the grammar depends on.
    trees: Mutex<Vec<(Vocabulary, Arc<ast::File>)>>,
}

/// The modules by their names and the numbers of their first files, which spans have.
type Known = BTreeMap<(&'static str, usize), Arc<LibraryModule>>;

static KNOWN: Mutex<Known> = Mutex::new(Known::new());

/// So many modules are kept.
const MOST_KNOWN: usize = 256;

impl LibraryModule {
    /// The module, with its files at the end of the map; with its words if it was not known there.
    fn read(name: &'static str, sources: &mut SourceMap) -> (Arc<Self>, Option<Source>) {
        let first = sources.iter().count();
        let known = lock(&KNOWN).get(&(name, first)).cloned();
        if let Some(known) = known {
            for (name, text) in &known.files {
                sources.add(name.clone(), text.clone());
            }
            return (known, None);
        }
        let source = read_library(sources, name);
        let is_needed = |name: &&str| library::optional_names(name).is_some() && source.needs(name);
        let module = Arc::new(Self {
            name,
            first,
            files: sources.iter().skip(first).map(|(_, file)| (file.name.clone(), file.text.clone())).collect(),
            modules: needed(&source),
            needs: library::modules().filter(is_needed).collect(),
            vocabulary: source.vocabulary(),
            macro_uses: source.macro_uses().clone(),
            trees: Mutex::new(Vec::new()),
        });
        let mut known = lock(&KNOWN);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert((name, first), module.clone());
        (module, Some(source))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic interrupted was complete before and after.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the names of the library's files begin with in the source map.
const LIBRARY: &str = "library/";

/// Where files of the user's are looked for, and what came of it.
struct Found<'a> {
    search: &'a [PathBuf],
    /// The files of the library.
    library: BTreeSet<u32>,
    /// Where there is no file.
    missing: BTreeSet<PathBuf>,
}

impl Found<'_> {
    fn include(&mut self, written: &str, from: &Path) -> Result<Included, String> {
        include_from_disk(written, from, self.search, &mut self.missing)
    }
}

/// The names of the library's modules.
pub(super) fn library_modules() -> impl Iterator<Item = &'static str> {
    library::modules()
}

/// What a module of the library shows that is only read if a program mentions one of the names; `None` for other modules.
pub fn optional_names(module: &str) -> Option<&'static [&'static str]> {
    library::optional_names(module)
}

/// The text of a file of the library, by its name in the source map.
pub fn library_file(name: &str) -> Option<&'static str> {
    let file = name.strip_prefix(LIBRARY)?;
    file.strip_suffix(".sac").and_then(library::source).or_else(|| library::header(file))
}

/// Reads and checks a file, whose name in `sources` is its path. Modules are those of the library, or stand in a file `M.sac` or `M.xsac` beside the
/// file that uses them or in one of the folders of `search`; included files likewise. What is read is added to `sources`.
///
/// # Errors
///
/// All mistakes in the file and the modules, in the order of the text.
pub fn load(sources: &mut SourceMap, file: FileId, search: &[PathBuf]) -> Result<Program, Vec<Diagnostic>> {
    let mut found = Found { search, library: BTreeSet::new(), missing: BTreeSet::new() };
    let Read { units, mut messages, macro_uses } = read(sources, file, &mut found);
    let Found { library, missing, .. } = found;
    match check::check(sources, &units) {
        Ok(program) if messages.iter().all(|message| message.severity != Severity::Error) => {
            Ok(Program { library, missing, ..program })
        }
        Ok(_) => Err(told_once(sources, &macro_uses, messages)),
        Err(errors) => {
            messages.extend(check::error::diagnostics(errors));
            messages.sort_by_key(Diagnostic::span);
            Err(told_once(sources, &macro_uses, messages))
        }
    }
}

/// Asks of a file only whether it keeps to the grammar; it and what it uses are read as by [`load`].
///
/// # Errors
///
/// The mistakes in the grammar of the file and what it includes, in the order of the text.
pub fn check_grammar(sources: &mut SourceMap, file: FileId, search: &[PathBuf]) -> Result<(), Vec<Diagnostic>> {
    let mut found = Found { search, library: BTreeSet::new(), missing: BTreeSet::new() };
    let Read { mut messages, macro_uses, .. } = read(sources, file, &mut found);
    messages.retain(|message| message.severity == Severity::Error);
    if messages.is_empty() { Ok(()) } else { Err(told_once(sources, &macro_uses, messages)) }
}

/// A program's files, parsed.
struct Read {
    units: Vec<Unit>,
    /// What is wrong with their grammar.
    messages: Vec<Diagnostic>,
    /// The macro that is used at a place, by its name.
    macro_uses: BTreeMap<Span, String>,
}

/// Leaves the first of messages that say the same of the same place: a file may be included by many others, and its text be
/// checked for each. What is wrong in the body of a macro is told at the first use, with the places of the others.
fn told_once(sources: &SourceMap, macro_uses: &BTreeMap<Span, String>, messages: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut told = HashSet::new();
    let mut kept: Vec<(Diagnostic, Vec<Span>)> = Vec::new();
    let mut of_macros: HashMap<(&str, &'static str, String), usize> = HashMap::new();
    for message in messages {
        let span = message.span();
        let file = sources.file(<FileId as frit_support::Index>::new(span.file as usize)).map(|file| file.name.clone());
        if !told.insert((message.code, message.message.clone(), file, span.start, span.end)) {
            continue;
        }
        if let Some(name) = macro_uses.get(&span) {
            match of_macros.entry((name, message.code, message.message.clone())) {
                Entry::Occupied(first) => {
                    kept[*first.get()].1.push(span);
                    continue;
                }
                Entry::Vacant(place) => {
                    place.insert(kept.len());
                }
            }
        }
        kept.push((message, Vec::new()));
    }
    let finish = |(message, others): (Diagnostic, Vec<Span>)| {
        let Some(name) = macro_uses.get(&message.span()).filter(|_| !others.is_empty()) else { return message };
        let shown = others.iter().take(SHOWN_USES).filter_map(|&span| sources.position(span));
        let mut places: Vec<String> = shown.map(|place| place.to_string()).collect();
        if others.len() > SHOWN_USES {
            places.push("...".to_string());
        }
        let uses = if others.len() == 1 { "use" } else { "uses" };
        let note =
            format!("it is the same at {} more {uses} of the macro `{name}`: {}", others.len(), places.join(", "));
        message.note(note)
    };
    kept.into_iter().map(finish).collect()
}

/// So many places of further uses are shown.
const SHOWN_USES: usize = 5;

/// The file and all modules that it needs.
fn read(sources: &mut SourceMap, file: FileId, found: &mut Found<'_>) -> Read {
    let path = sources.file(file).map(|file| PathBuf::from(&file.name)).unwrap_or_default();
    let mut pending = vec![of_user(sources, String::new(), file, found)];
    let mut names: HashMap<String, usize> = HashMap::new();
    // Which modules to look for, beside which file, and whether another one of the library has it for its users alone.
    let mut wanted: VecDeque<(String, PathBuf, bool)> = VecDeque::new();
    // Modules of the library that others of it import, if a program mentions what they show.
    let mut optional: Vec<String> = Vec::new();
    let ask = |pending: &Pending, path: &Path, wanted: &mut VecDeque<(String, PathBuf, bool)>| {
        let is_for_users = |name: &String| {
            matches!(pending.origin, Origin::Library)
                && library::optional_names(name).is_some()
                && !pending.text.needs(name)
        };
        let asked = pending.modules.iter().chain(&pending.given);
        wanted.extend(asked.map(|name| (name.clone(), path.to_path_buf(), is_for_users(name))));
    };
    ask(&pending[0], &path, &mut wanted);
    loop {
        let Some((name, from, is_for_users)) = wanted.pop_front() else {
            let is_mentioned = |name: &String| {
                let shown = library::optional_names(name).unwrap_or_default();
                pending.iter().any(|file| matches!(&file.text, Text::Read(source) if source.mentions(shown)))
            };
            match optional.iter().position(is_mentioned) {
                Some(at) => wanted.push_back((optional.swap_remove(at), path.clone(), false)),
                None => break,
            }
            continue;
        };
        if names.contains_key(&name) {
            continue;
        }
        if is_for_users {
            optional.push(name);
            continue;
        }
        if let Some(module) = library::modules().find(|module| *module == name) {
            let first = sources.iter().count() as u32;
            let module = of_library(sources, module);
            found.library.extend(first..sources.iter().count() as u32);
            ask(&module, Path::new(""), &mut wanted);
            names.insert(name, pending.len());
            pending.push(module);
        } else if let Ok(Included { path, text }) =
            found.include(&format!("{name}.sac"), &from).or_else(|_| found.include(&format!("{name}.xsac"), &from))
        {
            let file = sources.add(path.display().to_string(), text);
            let module = of_user(sources, name.clone(), file, found);
            ask(&module, &path, &mut wanted);
            names.insert(name, pending.len());
            pending.push(module);
        }
    }
    parse(pending, &names)
}

fn of_user(sources: &mut SourceMap, name: String, file: FileId, found: &mut Found<'_>) -> Pending {
    let mut source = preprocess(sources, file, &mut |written, from| found.include(written, from));
    if sources.file(file).is_some_and(|file| library_file(&file.name).is_some()) {
        source = source.of_library();
    }
    let mut given = vec![library::ALWAYS.to_string()];
    if !source.has_uses() {
        given.extend(library::PRELOADED.iter().map(ToString::to_string));
    }
    let modules = needed(&source);
    Pending { name, modules, text: Text::Read(source), origin: Origin::User, given }
}

/// The modules that a file names, and those behind functions of the language that it calls.
fn needed(source: &Source) -> Vec<String> {
    let mut modules = source.modules();
    if source.mentions(&["scanf", "fscanf", "sscanf"]) {
        modules.push(library::SCANNING.to_string());
    }
    if source.mentions(&["sprintf"]) {
        modules.push(library::FORMATS.to_string());
    }
    modules
}

fn of_library(sources: &mut SourceMap, name: &'static str) -> Pending {
    let (module, source) = LibraryModule::read(name, sources);
    let (given, modules) = (vec![library::ALWAYS.to_string()], module.modules.clone());
    Pending { name: name.to_string(), modules, text: Text::Library(module, source), origin: Origin::Library, given }
}

/// Reads a module of the library.
fn read_library(sources: &mut SourceMap, name: &str) -> Source {
    let file = sources.add(format!("{LIBRARY}{name}.sac"), library::source(name).unwrap_or_default());
    preprocess(sources, file, &mut |written, _| match library::header(written) {
        Some(text) => Ok(Included { path: PathBuf::from(format!("{LIBRARY}{written}")), text: text.to_string() }),
        None => Err("the library has no such file".to_string()),
    })
    .of_library()
}

fn parse(pending: Vec<Pending>, names: &HashMap<String, usize>) -> Read {
    let macro_uses = pending.iter().flat_map(|pending| pending.text.macro_uses().clone()).collect();
    let own: Vec<Vocabulary> = pending.iter().map(|pending| pending.text.vocabulary()).collect();
    let seen: Vec<Vec<usize>> = pending
        .iter()
        .map(|pending| {
            pending.modules.iter().chain(&pending.given).filter_map(|name| names.get(name).copied()).collect()
        })
        .collect();
    let mut messages = Vec::new();
    let mut units = Vec::new();
    for (at, pending) in pending.into_iter().enumerate() {
        let mut words = Vocabulary::default();
        let mut visited: BTreeSet<usize> = BTreeSet::from([at]);
        let mut next = vec![at];
        while let Some(at) = next.pop() {
            for &module in &seen[at] {
                if visited.insert(module) {
                    words.extend(&own[module]);
                    next.push(module);
                }
            }
        }
        let (file, errors) = pending.text.parse(&words);
        messages.extend(errors);
        let name = match &file.module {
            Some(module) if at == 0 => module.text.clone(),
            _ => pending.name,
        };
        units.push(Unit { name, file, origin: pending.origin, given: pending.given });
    }
    Read { units, messages, macro_uses }
}
