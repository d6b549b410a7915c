//! Finds the words that the grammar depends on, by looking at words alone: where definitions are can be seen without a grammar.

use super::Vocabulary;
use crate::sac::lex::{Raw, RawKind, Words, is_operator_char};
use crate::sac::token::Symbol;
use std::collections::BTreeSet;

pub(super) fn has_uses(raw: &[Raw], words: &Words) -> bool {
    raw.iter().any(|raw| raw.kind == RawKind::Name && matches!(words.text(raw.text), "use" | "import"))
}

pub(super) fn needs(raw: &[Raw], words: &Words, module: &str) -> bool {
    let name = |raw: &Raw| (raw.kind == RawKind::Name).then(|| words.text(raw.text));
    let is_import = |at: usize| at > 0 && name(&raw[at - 1]) == Some("import");
    let is_export = |at: usize| at > 0 && name(&raw[at - 1]) == Some("module");
    let occurs = |at: &usize| name(&raw[*at]) == Some(module) && !is_import(*at) && !is_export(*at);
    (0..raw.len()).any(|at| occurs(&at))
}

pub(super) fn mentions(raw: &[Raw], words: &Words, names: &[&str]) -> bool {
    raw.iter().any(|raw| raw.kind == RawKind::Name && names.contains(&words.text(raw.text)))
}

pub(super) fn modules(raw: &[Raw], words: &Words) -> Vec<String> {
    let mut found = BTreeSet::new();
    let name = |raw: &Raw| (raw.kind == RawKind::Name).then(|| words.text(raw.text));
    for window in raw.windows(2) {
        if let (Some("use" | "import"), Some(module)) = (name(&window[0]), name(&window[1])) {
            found.insert(module.to_string());
        }
    }
    for window in raw.windows(3) {
        let is_colon = |raw: &Raw| raw.kind == RawKind::Punct(b':');
        if let Some(module) = name(&window[0])
            && is_colon(&window[1])
            && is_colon(&window[2])
            && window[2].is_joined
        {
            found.insert(module.to_string());
        }
    }
    found.into_iter().collect()
}

pub(super) fn vocabulary(raw: &[Raw], words: &Words) -> Vocabulary {
    let mut scan = Scan { raw, words, at: 0, class: None, found: Vocabulary::default() };
    while scan.at < raw.len() {
        scan.item();
    }
    scan.found
}

struct Scan<'a> {
    raw: &'a [Raw],
    words: &'a Words,
    at: usize,
    /// The class that the file is.
    class: Option<String>,
    found: Vocabulary,
}

impl Scan<'_> {
    fn is(&self, at: usize, punct: u8) -> bool {
        self.raw.get(at).is_some_and(|raw| raw.kind == RawKind::Punct(punct))
    }

    fn name(&self, at: usize) -> Option<&str> {
        self.raw.get(at).filter(|raw| raw.kind == RawKind::Name).map(|raw| self.words.text(raw.text))
    }

    /// The run of operator characters at `at`; may be empty.
    fn run(&self, at: usize) -> String {
        let mut run = String::new();
        for (offset, raw) in self.raw[at.min(self.raw.len())..].iter().enumerate() {
            match raw.kind {
                RawKind::Punct(c) if is_operator_char(c) && (offset == 0 || raw.is_joined) => run.push(char::from(c)),
                _ => break,
            }
        }
        run
    }

    fn operator(&mut self, run: String) {
        if !run.is_empty() && Symbol::of(&run).is_none() {
            self.found.operators.insert(run);
        }
    }

    /// Passes the bracket at `at` with all it holds.
    fn skip_group(&mut self) {
        let mut depth = 0usize;
        while let Some(raw) = self.raw.get(self.at) {
            self.at += 1;
            match raw.kind {
                RawKind::Punct(b'(' | b'[' | b'{') => depth += 1,
                RawKind::Punct(b')' | b']' | b'}') => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    fn skip_behind_semicolon(&mut self) {
        while self.at < self.raw.len() && !self.is(self.at, b';') {
            self.at += 1;
        }
        self.at += 1;
    }

    /// The basic type and the number of axes of `char[.,.]`, written from `start` to `end`.
    fn alias(&self, start: usize, end: usize) -> Option<(String, usize)> {
        let elem = self.name(start)?;
        if !self.is(start + 1, b'[') || !self.is(end.checked_sub(1)?, b']') {
            return None;
        }
        let inside = start + 2..end - 1;
        let dots = inside.clone().filter(|at| self.is(*at, b'.')).count();
        let is_open = inside.clone().all(|at| self.is(at, b'.') || self.is(at, b','));
        (dots > 0 && is_open).then(|| (elem.to_string(), dots))
    }

    fn item(&mut self) {
        match self.name(self.at) {
            Some("use" | "import" | "export" | "provide") => {
                while self.at < self.raw.len() && !self.is(self.at, b';') {
                    let run = self.run(self.at);
                    self.at += run.len().max(1);
                    self.operator(run);
                }
                self.at += 1;
            }
            Some("typedef") => {
                let start = self.at + 1;
                self.skip_behind_semicolon();
                if let Some(name) = self.at.checked_sub(2).and_then(|at| self.name(at)).map(str::to_string) {
                    if let Some(meaning) = self.alias(start, self.at - 2) {
                        self.found.aliases.insert(name.clone(), meaning);
                    }
                    self.found.types.insert(name);
                }
            }
            Some("struct") if self.is(self.at + 2, b'{') => {
                if let Some(name) = self.name(self.at + 1).map(str::to_string) {
                    self.found.structs.insert(name);
                }
                self.at += 2;
                self.skip_group();
            }
            Some("class") => {
                self.class = self.name(self.at + 1).map(str::to_string);
                self.skip_behind_semicolon();
            }
            Some("classtype") if !self.is(self.at + 1, b'(') => {
                self.found.types.extend(self.class.clone());
                self.skip_behind_semicolon();
            }
            Some("module" | "objdef") => self.skip_behind_semicolon(),
            _ => self.function(),
        }
    }

    /// Passes a definition; its name is what stands before its parameters.
    fn function(&mut self) {
        let mut is_named = false;
        while self.at < self.raw.len() {
            if self.is(self.at, b'{') {
                return self.skip_group();
            }
            if self.is(self.at, b';') || self.is(self.at, b'}') {
                self.at += 1;
                return;
            }
            if self.is(self.at, b'(') {
                let run = self.run(self.at + 1);
                let behind = self.at + 1 + run.len();
                if !is_named && !run.is_empty() && self.is(behind, b')') && self.is(behind + 1, b'(') {
                    self.operator(run);
                    self.at = behind + 1;
                }
                is_named = true;
                self.skip_group();
                continue;
            }
            if self.is(self.at, b'[') {
                self.skip_group();
                continue;
            }
            let run = self.run(self.at);
            let length = run.len().max(1);
            if !is_named && self.is(self.at + length, b'(') {
                self.operator(run);
            }
            self.at += length;
        }
    }
}
