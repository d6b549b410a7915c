//! The blocks of a region as text: loops, conditions, statements and declarations in order, with the source's comments.

use super::blocks::{Block, Part, PartKind};
use super::declarations::Declarations;
use super::expressions::{Binding, Scope, Variable};
use super::lexical::{Style, after_parentheses, indentation, trailing_comment};
use super::names::Names;
use super::placement::Placement;
use super::storage::Plan;
use super::{Reason, Transformed};
use crate::region::{CLoop, File, Region, Remark};
use frit_scop::program::{BinOp, Expr, ForLoop, Instance, Iterator, LoopKind};
use frit_scop::{Array, Loop, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What is printed, and what has been found out about it.
pub(super) struct Context<'a> {
    pub(super) file: &'a File,
    /// The file's text with comments blanked.
    pub(super) blank: &'a str,
    pub(super) region: &'a Region,
    pub(super) transformed: &'a Transformed,
    pub(super) plan: &'a Plan,
    pub(super) style: Style,
    /// The names of variables that are 1, by types of elements.
    pub(super) ones: BTreeMap<String, String>,
}

/// The text of a region.
pub(super) struct Printed {
    /// From the first byte of its first line's code, to the end of its last line's.
    pub(super) text: String,
    /// Names that are new in the block of the region.
    pub(super) names: Vec<String>,
    /// What was dropped.
    pub(super) remarks: Vec<Remark>,
}

/// Prints a region, or says why that is not possible.
pub(super) fn print(context: &Context, placement: &Placement, block: &Block, names: Names) -> Result<Printed, String> {
    let mut printer = Printer {
        context,
        declarations: Declarations::new(context, placement, block, names),
        variables: BTreeMap::new(),
        arrays: BTreeMap::new(),
        lines: Vec::new(),
        depth: 0,
        commented: BTreeSet::new(),
        paragraphs: BTreeSet::new(),
        remarks: Vec::new(),
        ancestors: BTreeMap::new(),
    };
    for (_, statement) in context.region.scop.statements.iter() {
        for (depth, &inner) in statement.loops.iter().enumerate() {
            printer.ancestors.insert(inner, statement.loops[..depth].to_vec());
        }
    }
    printer.block(block)?;
    let names = printer.arrays.values().flatten().cloned().collect();
    let style = &context.style;
    let mut text = String::new();
    for (number, line) in printer.lines.iter().enumerate() {
        if number > 0 {
            text += style.newline;
        }
        // What stands before the first line is not the region's.
        if !line.is_raw && !line.text.is_empty() {
            let outer = if number == 0 { "" } else { &context.region.indent };
            text += outer;
            text += &style.indent.repeat(line.depth);
        }
        text += &line.text;
    }
    Ok(Printed { text, names, remarks: printer.remarks })
}

/// A line of the new text.
struct Line {
    depth: usize,
    text: String,
    /// The line before ends with a backslash, so that white space at its start may be part of a string.
    is_raw: bool,
}

/// The state of printing.
pub(super) struct Printer<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) declarations: Declarations<'a>,
    /// The variables of the loops around.
    pub(super) variables: BTreeMap<Iterator, Variable>,
    /// The names of new variables and arrays that are in reach.
    pub(super) arrays: BTreeMap<Array, Vec<String>>,
    lines: Vec<Line>,
    depth: usize,
    /// Where comments start that have been printed.
    commented: BTreeSet<usize>,
    /// Where parts of the source start that have been printed.
    paragraphs: BTreeSet<usize>,
    remarks: Vec<Remark>,
    /// The loops of the source round each of its loops, outermost first.
    ancestors: BTreeMap<Loop, Vec<Loop>>,
}

impl<'a> Printer<'a> {
    /// What leaves of expressions are at this place.
    pub(super) fn scope(&self) -> Scope<'_> {
        Scope { params: &self.context.region.params, variables: &self.variables }
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.lines.push(Line { depth: self.depth, text: text.into(), is_raw: false });
    }

    /// Adds text of the source that stands at `at` in the file, with its lines indented anew.
    fn text(&mut self, text: &str, at: usize) {
        let base = indentation(&self.context.file.text, at);
        let mut is_raw = false;
        for (number, line) in text.split('\n').enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let stripped = if number == 0 || is_raw { line } else { without_indentation(line, base) };
            self.lines.push(Line { depth: self.depth, text: stripped.into(), is_raw });
            is_raw = line.ends_with('\\');
        }
    }

    /// Prints what is in a block. True if it is one statement, which needs no braces.
    fn block(&mut self, block: &Block) -> Result<bool, String> {
        let outer = self.arrays.clone();
        let first = self.lines.len();
        let mut is_simple = block.parts.len() == 1;
        for (at, part) in block.parts.iter().enumerate() {
            if self.lines.len() > first && self.starts_paragraph(part) {
                self.line("");
            }
            let merged = self.declare(block, at)?;
            is_simple &= self.lines.len() == first && merged.is_none();
            let start = self.lines.len();
            is_simple &= self.part(part, merged)?;
            let end = self.lines.len();
            self.release(block, at);
            is_simple &= self.lines.len() == end && end > start;
        }
        if block.id != 0 {
            self.arrays = outer;
        }
        Ok(is_simple)
    }

    /// Prints a part; `merged` is the variable that it declares. True if it is one statement.
    fn part(&mut self, part: &Part, merged: Option<Array>) -> Result<bool, String> {
        let start = self.lines.len();
        match &part.kind {
            PartKind::For(each, variable, body) => {
                let sources = &self.context.transformed.program.iterators[each.iterator].sources;
                // What several loops of the source became has the comments inside, at what they are on.
                if let [source] = sources.as_slice() {
                    self.comment_nest(*source, &each.kind);
                }
                self.pragma(&each.kind);
                let is_simple = self.lines.len() == start;
                self.for_loop(each, variable, body)?;
                return Ok(is_simple);
            }
            PartKind::If(cond, then, otherwise) => self.conditional(String::new(), cond, then, otherwise)?,
            PartKind::Instance(instance) => {
                self.comment_statement(instance);
                let is_simple = self.lines.len() == start;
                return Ok(self.instance(instance, merged)? && is_simple);
            }
            PartKind::Rotate(array, ages) => {
                let names = self.arrays.get(array).ok_or("registers move on where they are not declared")?.clone();
                let name = |age: u64| usize::try_from(age).ok().and_then(|age| names.get(age));
                for age in *ages {
                    let (to, from) = name(*age).zip(name(age - 1)).ok_or("registers move on beyond the oldest")?;
                    self.line(format!("{to} = {from};"));
                }
                return Ok(ages.len() == 1);
            }
            PartKind::AsWritten(source) => {
                for outer in self.ancestors.get(source).cloned().unwrap_or_default() {
                    self.comment_loop(outer, false);
                }
                self.comment_loop(*source, true);
                let is_simple = self.lines.len() == start;
                let region = self.context.region;
                let range = region.loops[*source].range.clone();
                let leading = region.loops.iter().flat_map(|(_, each)| &each.leading);
                let leading = leading.chain(region.statements.iter().flat_map(|(_, template)| &template.leading));
                self.commented.extend(leading.map(|comment| comment.start).filter(|start| range.contains(start)));
                // What is said in another way round it and in it stays so.
                let file = self.context.file;
                let mut text = file.source.alone(&range).written(&file.text, range.clone()).into_owned();
                if let Some(comment) = self.take_trailing(range.end) {
                    text = format!("{text} {comment}");
                }
                self.text(&text, range.start);
                return Ok(is_simple);
            }
        }
        Ok(true)
    }

    /// Prints a condition; `before` is what its line begins with.
    fn conditional(&mut self, before: String, cond: &Expr, then: &Block, otherwise: &Block) -> Result<(), String> {
        let head = format!("{before}if ({})", self.scope().print(cond, Binding::Any));
        let is_last = otherwise.parts.is_empty();
        self.nested(head, None, then, !is_last)?;
        if is_last {
            return Ok(());
        }
        // The brace that closes the block above stands on the line that goes on.
        self.lines.pop();
        match otherwise.parts.as_slice() {
            [Part { kind: PartKind::If(cond, then, last), .. }] if !self.declarations.is_at(otherwise) => {
                self.conditional("} else ".into(), cond, then, last)
            }
            _ => self.nested("} else".into(), None, otherwise, true),
        }
    }

    /// The source has an empty line before what this part is the first to print.
    fn starts_paragraph(&mut self, part: &Part) -> bool {
        let region = self.context.region;
        let of_loop = |source: Loop| {
            let CLoop { range, leading, .. } = &region.loops[source];
            let first = leading.first().map(|range| range.start);
            first.or((!range.is_empty()).then_some(range.start))
        };
        let start = match &part.kind {
            PartKind::For(each, ..) => self.context.transformed.program.iterators[each.iterator]
                .sources
                .first()
                .and_then(|&source| of_loop(source)),
            PartKind::AsWritten(source) => of_loop(*source),
            PartKind::Instance(instance) => {
                let template = &region.statements[self.source(instance)];
                Some(template.leading.first().map_or(template.range.start, |range| range.start))
            }
            PartKind::If(..) | PartKind::Rotate(..) => None,
        };
        let is_new = |start: &usize| self.paragraphs.insert(*start);
        start.filter(is_new).is_some_and(|start| {
            let before = &self.context.file.text[..start];
            let line = before.rfind('\n').map_or(0, |newline| newline + 1);
            let before = &before[..line];
            before.ends_with("\n\n") || before.ends_with("\n\r\n")
        })
    }

    fn for_loop(&mut self, each: &ForLoop, variable: &Variable, body: &Block) -> Result<(), String> {
        // The bounds are outside of the loop's own scope.
        let Variable { name, c_type, is_descending } = variable;
        let (first, test, step) = if *is_descending {
            let last = each.upper.clone().neg().add(1);
            let first = self.bound(&each.lower.clone().neg(), variable, Binding::Any);
            (first, format!("{name} >= {}", self.bound(&last, variable, Binding::Sum)), "-")
        } else {
            let (sign, upper) = match &each.upper {
                Expr::Binary(BinOp::Add, last, one) if **one == Expr::Int(1) => ("<=", &**last),
                upper => ("<", upper),
            };
            let first = self.bound(&each.lower, variable, Binding::Any);
            (first, format!("{name} {sign} {}", self.bound(upper, variable, Binding::Sum)), "+")
        };
        let step = if each.step == 1 { format!("{name}{step}{step}") } else { format!("{name} {step}= {}", each.step) };
        let head = format!("for ({c_type} {name} = {first}; {test}; {step})");
        let shadowed = self.variables.insert(each.iterator, variable.clone());
        let sources = &self.context.transformed.program.iterators[each.iterator].sources;
        let comment = match sources.as_slice() {
            [source] => self.head_comment(*source),
            _ => None,
        };
        self.nested(head, comment.as_deref(), body, false)?;
        self.variables.remove(&each.iterator);
        self.variables.extend(shadowed.map(|variable| (each.iterator, variable)));
        Ok(())
    }

    fn bound(&self, bound: &Expr, variable: &Variable, least: Binding) -> String {
        match bound {
            // A parameter of the variable's own type is compared as the source does it.
            Expr::Param(param) if self.context.region.params[*param].c_type == variable.c_type => {
                self.context.region.params[*param].text.clone()
            }
            _ => self.scope().print(bound, least),
        }
    }

    /// Prints the head of a loop or a condition, and the block below it.
    fn nested(&mut self, head: String, comment: Option<&str>, body: &Block, braces: bool) -> Result<(), String> {
        let at = self.lines.len();
        let head_is_condition = !head.starts_with("for");
        self.line(head);
        self.depth += 1;
        let is_simple = self.block(body)?;
        self.depth -= 1;
        // A condition in a condition could take the `else` of the outer one.
        let is_long = head_is_condition && self.lines.len() > at + 2;
        let has_braces = braces || self.context.style.has_braces || !is_simple || is_long;
        if has_braces {
            self.lines[at].text += " {";
            self.line("}");
        }
        if let Some(comment) = comment {
            self.lines[at].text += &format!(" {comment}");
        }
        Ok(())
    }

    fn pragma(&mut self, kind: &LoopKind) {
        match kind {
            LoopKind::Sequential => {}
            LoopKind::Parallel { .. } => self.line("#pragma omp parallel for"),
            LoopKind::Simd => self.line("#pragma omp simd"),
        }
    }

    /// Prints a statement; `merged` is the variable that it declares. True if it is one still.
    fn instance(&mut self, instance: &Instance, merged: Option<Array>) -> Result<bool, String> {
        let template = &self.context.region.statements[self.source(instance)];
        let at = template.range.start;
        let (mut text, condition) = match self.stored_first(instance)? {
            Some([first, condition, second]) => (first, Some((condition, second))),
            None => (self.statement(instance)?, None),
        };
        if let Some(array) = merged {
            text = format!("{}{text}", self.declarations.prefix(array));
        }
        if !text.ends_with([';', '}']) {
            text.push(';');
        }
        if let Some(comment) = self.take_trailing(template.range.end) {
            text += &format!(" {comment}");
        }
        self.text(&text, at);
        let Some((condition, second)) = condition else { return Ok(true) };
        let has_braces = self.context.style.has_braces;
        self.text(&(condition + if has_braces { " {" } else { "" }), at);
        self.depth += 1;
        self.text(&second, at);
        self.depth -= 1;
        if has_braces {
            self.line("}");
        }
        Ok(false)
    }

    /// The comment that follows what ends here on its line, if it has not been printed.
    fn take_trailing(&mut self, end: usize) -> Option<&'a str> {
        let text = self.context.file.text.as_str();
        // A declaration ends before its semicolon.
        let end = end + text[end..].starts_with(';') as usize;
        let range = trailing_comment(text, end)?;
        (range.end <= self.context.region.range.end && self.commented.insert(range.start)).then(|| &text[range])
    }

    /// The comment on the line of a loop's head.
    fn head_comment(&mut self, source: Loop) -> Option<String> {
        let range = &self.context.region.loops[source].range;
        let start = (!range.is_empty()).then_some(range.start)?;
        let end = after_parentheses(self.context.blank, start)?;
        let rest = self.context.blank.get(end..)?;
        let brace = rest.trim_start_matches(' ').starts_with('{');
        let end = if brace { end + rest.find('{')? + 1 } else { end };
        self.take_trailing(end).map(str::to_owned)
    }

    /// The statement of the source that an instance is of.
    fn source(&self, instance: &Instance) -> Statement {
        self.context.transformed.statements[instance.statement].statement
    }

    /// Comments of the source before a statement, and before loops that are not loops any more; those of statements that are evaluated in it
    /// come first.
    fn comment_statement(&mut self, instance: &Instance) {
        let region = self.context.region;
        let evaluations = self.context.transformed.statements[instance.statement].all();
        for evaluation in evaluations.into_iter().rev() {
            let loops = &region.scop.statements[evaluation.statement].loops;
            loops.iter().for_each(|&source| self.comment_loop(source, false));
            let template = &region.statements[evaluation.statement];
            // The comment on its own line follows the statement.
            let end = template.range.end + self.context.file.text[template.range.end..].starts_with(';') as usize;
            let trailing = trailing_comment(&self.context.file.text, end);
            let is_before =
                |range: &&Range<usize>| trailing.as_ref().is_none_or(|trailing| trailing.start != range.start);
            let leading: Vec<Range<usize>> = template.leading.iter().filter(is_before).cloned().collect();
            self.leading(&leading, false);
        }
    }

    /// Comments of the source before a loop, and before those round it that are not loops of their own any more.
    fn comment_nest(&mut self, source: Loop, kind: &LoopKind) {
        if *kind != LoopKind::Sequential {
            // The new pragma stands for those of the source.
            let region = self.context.region;
            let is_openmp = |range: &&Range<usize>| {
                let text = self.context.file.text[(*range).clone()].trim_start_matches(['#', ' ', '\t']);
                text.strip_prefix("pragma").is_some_and(|text| text.trim_start().starts_with("omp"))
            };
            let replaced: Vec<usize> =
                region.loops[source].leading.iter().filter(is_openmp).map(|range| range.start).collect();
            self.commented.extend(replaced);
        }
        for outer in self.ancestors.get(&source).cloned().unwrap_or_default() {
            self.comment_loop(outer, false);
        }
        self.comment_loop(source, false);
    }

    fn comment_loop(&mut self, source: Loop, with_pragmas: bool) {
        let leading = &self.context.region.loops[source].leading;
        self.leading(leading, with_pragmas);
    }

    fn leading(&mut self, leading: &[Range<usize>], with_pragmas: bool) {
        for range in leading {
            if !self.commented.insert(range.start) {
                continue;
            }
            let text = self.context.file.text[range.clone()].trim_end();
            if text.starts_with('#') && !with_pragmas {
                self.remarks.push(Remark {
                    code: Reason::PragmaDropped.code(),
                    message: format!("`{text}` was dropped, as the loop that it is for is not the same any more"),
                    span: self.context.file.span(range),
                });
            } else {
                self.text(text, range.start);
            }
        }
    }
}

/// The line without as much of the white space as its start has in common with `base`.
fn without_indentation<'t>(line: &'t str, base: &str) -> &'t str {
    let common = line.bytes().zip(base.bytes()).take_while(|(one, other)| one == other).count();
    let stripped = &line[common..];
    // Where the source indents with something else, nothing of it is kept.
    if common < base.len() { stripped.trim_start_matches([' ', '\t']) } else { stripped }
}
