//! What stands where in a text: mistakes, functions, variables, types.
//!
//! A text that is being typed has mistakes most of the time. Then there are fewer facts: the words, in L0 the functions that could be read.

use frit_format::Language;
use frit_front::l0::typed::{self, Expr, ExprKind, Pattern, PatternKind, Repeat, Statement};
use frit_front::sac::core;
use frit_front::{l0, sac};
use frit_support::{Diagnostic, FileId, Index, SourceMap, Span};
use std::ops::Range;

/// What was found in a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Analysis {
    /// Errors and warnings, with the sources that they point into; the text itself is the first.
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) sources: SourceMap,
    /// The words of the text, in order.
    pub(crate) words: Vec<Range<usize>>,
    pub(crate) functions: Vec<Function>,
    pub(crate) variables: Vec<Variable>,
    /// Where variables are used, with where they are bound.
    pub(crate) uses: Vec<(Range<usize>, Range<usize>)>,
    /// The types of expressions.
    pub(crate) types: Vec<(Range<usize>, String)>,
    /// Functions of other files: name, signature, the file's name, and where the name stands in it.
    pub(crate) others: Vec<(String, String, String, Range<usize>)>,
    /// There are no errors.
    pub(crate) is_checked: bool,
}

/// A function of the text.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Where its name is defined.
    pub(crate) at: Range<usize>,
    /// All of it.
    pub(crate) whole: Range<usize>,
    /// What it takes and gives, as it is written.
    pub(crate) signature: String,
}

/// A variable of the text.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Where it is bound.
    pub(crate) at: Range<usize>,
    pub(crate) ty: String,
}

/// Looks at a text, whose name is its path.
pub(crate) fn analyse(language: Language, name: &str, text: &str) -> Analysis {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    // What is half typed may bring a pass into a state that it does not expect; the editor goes on.
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        frit_support::with_deep_stack(|| match language {
            Language::L0 => of_l0(&mut sources, file, text),
            Language::Sac => of_sac(&mut sources, file, text),
        })
    }));
    Analysis { sources, ..made.unwrap_or_default() }
}

fn bytes(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

// ---- L0

fn of_l0(sources: &mut SourceMap, file: FileId, text: &str) -> Analysis {
    let (program, mut diagnostics) = l0::parse(file, text);
    let functions = program.functions.iter().map(|function| {
        let whole = bytes(function.span);
        let signature = header(text, function.span, function.body.span);
        Function { name: function.name.text.clone(), at: bytes(function.name.span), signature, whole }
    });
    let functions = functions.collect();
    let mut found =
        Analysis { functions, words: l0::words(file, text).into_iter().map(bytes).collect(), ..Analysis::default() };
    match l0::load(sources, file) {
        Ok(program) => {
            found.is_checked = true;
            let is_own = |function: &typed::Function| function.span.file as usize == file.at();
            for (_, function) in program.functions.iter().filter(|(_, function)| is_own(function)) {
                let mut walk = Walk { function, text, found: &mut found };
                walk.variables();
                walk.expr(&function.body);
            }
            for (_, function) in program.functions.iter().filter(|(_, function)| !is_own(function)) {
                let Some(file) = sources.file(FileId::new(function.span.file as usize)) else { continue };
                let signature = header(&file.text, function.span, function.body.span);
                found.others.push((function.name.clone(), signature, file.name.clone(), bytes(function.name_span)));
            }
        }
        Err(errors) => diagnostics = errors,
    }
    Analysis { diagnostics, ..found }
}

/// The header of a function of L0, up to its `=`.
fn header(text: &str, whole: Span, body: Span) -> String {
    let (whole, body) = (bytes(whole), body.start as usize);
    let header = &text[whole.start..body.clamp(whole.start, whole.end)];
    in_one_line(&header[..header.rfind('=').unwrap_or(header.len())])
}

/// A header with one space where it has several or ends lines.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Looks at the expressions of a function.
struct Walk<'w> {
    function: &'w typed::Function,
    text: &'w str,
    found: &'w mut Analysis,
}

impl Walk<'_> {
    fn variables(&mut self) {
        for (_, variable) in self.function.variables.iter().filter(|(_, variable)| variable.is_written) {
            let at = bytes(variable.span);
            self.found.uses.push((at.clone(), at.clone()));
            self.found.variables.push(Variable { name: variable.name.clone(), at, ty: variable.ty.to_string() });
        }
    }

    /// Notes that a variable is used where its name stands first in a range.
    fn uses(&mut self, variable: typed::Var, within: Range<usize>) {
        let variable = &self.function.variables[variable];
        let name = variable.name.as_str();
        let words = &self.found.words;
        let first = words.partition_point(|word| word.start < within.start);
        let word = words[first..]
            .iter()
            .take_while(|word| word.end <= within.end)
            .find(|word| &self.text[(*word).clone()] == name);
        if let Some(word) = word.cloned() {
            self.found.uses.push((word, bytes(variable.span)));
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Wildcard | PatternKind::Var(_) => {}
            PatternKind::Tuple(parts) => parts.iter().for_each(|part| self.pattern(part)),
        }
        self.found.types.push((bytes(pattern.span), pattern.ty.to_string()));
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        exprs.iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        self.found.types.push((bytes(expr.span), expr.ty.to_string()));
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Checked
            | ExprKind::String(_)
            | ExprKind::Empty => {}
            ExprKind::Var(variable) => self.uses(*variable, bytes(expr.span)),
            ExprKind::Array(exprs) | ExprKind::Tuple(exprs) => self.exprs(exprs),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::If { condition, on_true, on_false } => {
                self.expr(condition);
                self.expr(on_true);
                self.expr(on_false);
            }
            ExprKind::Call { arguments, .. } => self.exprs(arguments),
            ExprKind::Index { array, index } => {
                self.uses(*array, bytes(expr.span));
                self.exprs(index);
            }
            ExprKind::Block { statements, result } => {
                statements.iter().for_each(|statement| self.statement(statement));
                self.expr(result);
            }
            ExprKind::Builtin { operands, .. } => self.exprs(operands),
            ExprKind::Soac(soac) => {
                self.expr(&soac.function.body);
                soac.combine.iter().for_each(|combine| self.expr(&combine.body));
                self.exprs(&soac.starts);
                self.exprs(&soac.arrays);
            }
            ExprKind::Certified { certificates, expr: inner } => {
                for certificate in certificates {
                    self.uses(*certificate, bytes(expr.span));
                }
                self.expr(inner);
            }
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { pattern, value, .. } => {
                self.pattern(pattern);
                self.expr(value);
            }
            Statement::Update { certificates, target, source, index, value, span } => {
                for certificate in certificates {
                    self.uses(*certificate, bytes(*span));
                }
                // `let a[i] = x` names both at once; `let b = a with [i] <- x` names the source second.
                let target = self.function.variables[*target].span.end as usize;
                if self.function.variables[*source].name != self.text[bytes(self.function.variables[*source].span)]
                    || !self.text[target..].trim_start().starts_with('[')
                {
                    self.uses(*source, target..span.end as usize);
                }
                self.exprs(index);
                self.expr(value);
            }
            Statement::Loop { params, init, repeat, body, .. } => {
                self.pattern(params);
                self.expr(init);
                match repeat {
                    Repeat::For { bound, .. } => self.expr(bound),
                    Repeat::While { condition, .. } => self.expr(condition),
                }
                self.expr(body);
            }
        }
    }
}

// ---- SAC

fn of_sac(sources: &mut SourceMap, file: FileId, text: &str) -> Analysis {
    let words = sac::source::words(file, text).into_iter().map(bytes).collect();
    let found = Analysis { words, ..Analysis::default() };
    match sac::load(sources, file, &frit_driver::sac::search_path()) {
        Ok(program) => of_core(&program, sources, file, text, found),
        Err(diagnostics) => Analysis { diagnostics, ..found },
    }
}

fn of_core(program: &core::Program, sources: &SourceMap, file: FileId, text: &str, mut found: Analysis) -> Analysis {
    let is_own = |span: Span| span.file as usize == file.at();
    let mut own: Vec<&core::Function> =
        program.functions.iter().map(|(_, function)| function).filter(|function| is_own(function.span)).collect();
    own.sort_by_key(|function| function.span.start);
    for (at, function) in own.iter().enumerate() {
        let end = own.get(at + 1).map_or(text.len(), |next| next.span.start as usize);
        let name = bytes(function.span);
        found.functions.push(Function {
            name: function.name.clone(),
            whole: name.start..end,
            at: name,
            signature: signature(program, function),
        });
        for (local, data) in function.locals.iter() {
            let at = bytes(data.span);
            if !is_own(data.span) || text.get(at.clone()) != Some(data.name.as_str()) {
                continue;
            }
            let param = function.params.iter().find(|param| param.local == local);
            let any = core::Pattern { elem: data.elem, axes: vec![core::Axis::Rest { at_least: 0 }], span: data.span };
            let ty = program.type_name(param.map_or(&any, |param| &param.pattern));
            found.variables.push(Variable { name: data.name.clone(), at, ty });
        }
    }
    for (_, function) in program.functions.iter().filter(|(_, function)| !is_own(function.span)) {
        let name = sources.file(FileId::new(function.span.file as usize)).map(|file| file.name.clone());
        let signature = signature(program, function);
        found.others.push((function.name.clone(), signature, name.unwrap_or_default(), bytes(function.span)));
    }
    Analysis { diagnostics: program.warnings.clone(), is_checked: true, ..found }
}

fn signature(program: &core::Program, function: &core::Function) -> String {
    let types = |patterns: Vec<String>| if patterns.is_empty() { "void".to_string() } else { patterns.join(", ") };
    let results = types(function.results.iter().map(|pattern| program.type_name(pattern)).collect());
    let params = function
        .params
        .iter()
        .map(|param| format!("{} {}", program.type_name(&param.pattern), function.locals[param.local].name));
    format!("{results} {}({})", function.name, params.collect::<Vec<_>>().join(", "))
}

// ---- questions

impl Analysis {
    /// The word at a place, or one that ends there.
    pub(crate) fn word(&self, at: usize) -> Option<Range<usize>> {
        let next = self.words.partition_point(|word| word.end < at);
        self.words.get(next).filter(|word| word.start <= at).map(|word| {
            // Between two words it is the second that is meant.
            self.words.get(next + 1).filter(|second| second.start == at).unwrap_or(word).clone()
        })
    }

    pub(crate) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The function that a place is in.
    pub(crate) fn around(&self, at: usize) -> Option<&Function> {
        self.functions.iter().rev().find(|function| function.whole.contains(&at) || function.whole.end == at)
    }

    /// True if the word is the name of a function there: it is defined or called.
    pub(crate) fn is_function(&self, text: &str, word: &Range<usize>) -> bool {
        let name = &text[word.clone()];
        let is_bound = self.uses.iter().any(|(at, _)| at == word);
        let is_defined = self.functions.iter().any(|function| function.at == *word);
        let is_called = text[word.end..].trim_start().starts_with('(');
        is_defined
            || (!is_bound && (is_called || !self.variable_names(word.start).any(|variable| variable == name)))
                && self.function(name).is_some()
    }

    /// The names of the variables of the function around a place.
    pub(crate) fn variable_names(&self, at: usize) -> impl Iterator<Item = &str> {
        self.variables_around(at).map(|variable| variable.name.as_str())
    }

    fn variables_around(&self, at: usize) -> impl Iterator<Item = &Variable> {
        let whole = self.around(at).map(|function| function.whole.clone()).unwrap_or_default();
        self.variables.iter().filter(move |variable| whole.contains(&variable.at.start))
    }

    /// The variable that a word is.
    pub(crate) fn variable(&self, text: &str, word: &Range<usize>) -> Option<&Variable> {
        let bound = self.uses.iter().find(|(at, _)| at == word).map(|(_, bound)| bound);
        if let Some(bound) = bound {
            return self.variables.iter().find(|variable| variable.at == *bound);
        }
        let name = &text[word.clone()];
        self.variables_around(word.start).find(|variable| variable.name == name)
    }

    /// The type of the smallest expression around a place.
    pub(crate) fn type_at(&self, at: usize) -> Option<&(Range<usize>, String)> {
        let around = self.types.iter().filter(|(range, _)| range.contains(&at));
        around.min_by_key(|(range, _)| range.len())
    }
}
