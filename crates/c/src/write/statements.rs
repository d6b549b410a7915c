//! Statements of the source in their new places: the text with loop variables and accesses replaced, where these have changed.

use super::between_holes;
use super::expressions::Binding;
use super::lexical::{blanked, has_word, is_word};
use super::loops::Printer;
use super::storage::{Change, Place, Resized, strides};
use crate::region::{Form, Hole, HoleKind, Template};
use crate::value;
use frit_scop::Array;
use frit_scop::model::{Access, AccessKind};
use frit_scop::program::{BinOp, Expr, Fate, Instance};
use frit_scop::recompute::{Evaluation, Operand};
use std::ops::Range;

/// A statement of the source where it runs, or where its value is computed.
struct Occurrence<'e> {
    evaluation: &'e Evaluation,
    /// The values of its loops' variables.
    iterators: Vec<Expr>,
    /// The statement that runs.
    instance: &'e Instance,
}

impl Printer<'_> {
    /// The text of a statement at this instance.
    pub(super) fn statement(&self, instance: &Instance) -> Result<String, String> {
        let evaluation = &self.context.transformed.statements[instance.statement];
        let of = Occurrence { evaluation, iterators: instance.iterators.clone(), instance };
        let template = &self.context.region.statements[evaluation.statement];
        let text = self.fill(&of, &self.context.file.text, template.range.clone())?;
        Ok(if template.is_skippable { format!("do {{ {text} }} while (0);") } else { text })
    }

    /// `target = condition ? chosen : otherwise` as `target = otherwise;` and `if (condition) target = chosen;`, or the other way round, where one value
    /// was computed just before and is in a variable now. As it stands, gcc would compute it only where it is chosen, in a branch, which cannot
    /// become vector code; what is stored is computed always. The two assignments, and the head of the condition between them.
    pub(super) fn stored_first(&self, instance: &Instance) -> Result<Option<[String; 3]>, String> {
        let evaluation = &self.context.transformed.statements[instance.statement];
        let template = &self.context.region.statements[evaluation.statement];
        let Some(choice) = template.choice.as_ref().filter(|_| evaluation.is_plain()) else { return Ok(None) };
        let accesses = &self.context.transformed.scop.statements[instance.statement].accesses;
        let array_at = |range: &Range<usize>| {
            let hole = template.holes.iter().find(|hole| hole.range == *range)?;
            let HoleKind::Access(positions) = &hole.kind else { return None };
            let [position] = positions.as_slice() else { return None };
            Some(accesses[*position].array)
        };
        let arrays = (array_at(&choice.target), array_at(&choice.chosen), array_at(&choice.otherwise));
        let (Some(target), Some(chosen), Some(otherwise)) = arrays else { return Ok(None) };
        let is_variable = |array: Array| matches!(self.context.plan.places[array], Place::Cells(_));
        let element = |array: Array| &self.context.region.arrays[self.origin(array)].element;
        // The target is the only effect, and nothing sees it before the end.
        let mut others = accesses.iter().filter(|access| access.array != target);
        let is_plain = accesses.iter().filter(|access| access.array == target).count() == 1
            && others.all(|access| access.kind == AccessKind::Read && access.is_exact);
        if is_variable(target)
            || is_variable(chosen) == is_variable(otherwise)
            || element(chosen) != element(otherwise)
            || !is_plain
        {
            return Ok(None);
        }
        let of = Occurrence { evaluation, iterators: instance.iterators.clone(), instance };
        let part = |range: &Range<usize>| self.fill(&of, &self.context.file.text, range.clone());
        let (target, condition) = (part(&choice.target)?, part(&choice.condition)?);
        let (chosen_text, otherwise_text) = (part(&choice.chosen)?, part(&choice.otherwise)?);
        let (first, condition, second) = if is_variable(chosen) {
            (chosen_text, format!("!({condition})"), otherwise_text)
        } else {
            (otherwise_text, condition, chosen_text)
        };
        Ok(Some([format!("{target} = {first};"), format!("if ({condition})"), format!("{target} = {second};")]))
    }

    /// A part of a statement's text with its holes filled.
    fn fill(&self, of: &Occurrence, source: &str, range: Range<usize>) -> Result<String, String> {
        let template = &self.context.region.statements[of.evaluation.statement];
        let mut text = Replaced { source, text: String::new(), at: range.start, closing: Vec::new() };
        let is_inside = |hole: &&Hole| range.start <= hole.range.start && hole.range.end <= range.end;
        for hole in template.holes.iter().filter(is_inside) {
            text.copy(hole.range.start)?;
            if let HoleKind::Access(positions) = &hole.kind
                && let Some((read, written)) = self.split_operand(of, positions)?
            {
                text.at = hole.range.end;
                self.assign(&mut text, template, &self.rounded(of, hole, read), &written)?;
            } else if let HoleKind::Access(positions) = &hole.kind
                && positions.len() > 1
                && self.one(of, hole).is_some()
            {
                let place = self.hole(of, template, hole)?;
                text.at = hole.range.end;
                self.assign(&mut text, template, &self.rounded(of, hole, place.clone()), &place)?;
            } else {
                text.text += &self.rounded(of, hole, self.hole(of, template, hole)?);
                text.at = hole.range.end;
            }
        }
        text.copy(range.end)?;
        Ok(text.text)
    }

    /// A read operand that keeps the rounding that it had in memory.
    fn rounded(&self, of: &Occurrence, hole: &Hole, text: String) -> String {
        self.one(of, hole).map_or(text.clone(), |one| format!("({text} * {one})"))
    }

    /// The variable that an operand is multiplied with to keep compilers from contracting what it is with the statement: it was in memory, which the
    /// region wrote.
    fn one(&self, of: &Occurrence, hole: &Hole) -> Option<&String> {
        let region = self.context.region;
        let HoleKind::Access(positions) = &hole.kind else { return None };
        let statement = of.evaluation.statement;
        let mut accesses = positions.iter().filter_map(|at| region.scop.statements[statement].accesses.get(*at));
        let read = accesses.find(|access| access.kind == AccessKind::Read)?;
        let one = self.context.ones.get(&region.arrays[read.array].element)?;
        let text = &self.context.file.text;
        let mut pieces = between_holes(&region.statements[statement]).into_iter();
        let adds = pieces.any(|piece| text.get(piece).is_some_and(|text| text.contains(['+', '-', '('])));
        (adds && region.hands_on(read.array)).then_some(one)
    }

    /// The value of another statement in the place of an operand.
    fn value(&self, value: &Evaluation, instance: &Instance, least: Binding) -> Result<String, String> {
        let region = self.context.region;
        let known = value::value(&self.context.file.text, region, value.statement);
        let known = known.ok_or("an operand is computed by what is no expression")?;
        let of = Occurrence { evaluation: value, iterators: value.iterators_at(&instance.iterators), instance };
        // Comments are not repeated, and several lines become one.
        let has_literal = self.context.file.text[known.range.clone()].contains(['"', '\'']);
        let source = if has_literal { &self.context.file.text } else { self.context.blank };
        let text = self.fill(&of, source, known.range)?;
        let text = if has_literal { text } else { text.split_whitespace().collect::<Vec<_>>().join(" ") };
        let element = &region.arrays[known.assigned].element;
        if let Some(one) = self.context.ones.get(element).filter(|_| region.hands_on(known.assigned)) {
            let converted = if known.is_copy { text } else { format!("({element}){}", factor(&text)) };
            return Ok(format!("({converted} * {one})"));
        }
        if known.is_copy {
            // After a division, `*p` would begin a comment.
            return Ok(if text.starts_with('*') { format!("({text})") } else { text });
        }
        let converted = format!("({element}){}", factor(&text));
        Ok(if least == Binding::Atom { format!("({converted})") } else { converted })
    }

    /// The array that is accessed at this position of a statement, and the subscripts.
    fn access<'e>(&'e self, of: &Occurrence<'e>, position: usize) -> Option<(&'e Access, Option<&'e Vec<Expr>>)> {
        let Operand::Access(at) = of.evaluation.operands.get(position)? else { return None };
        let access = self.context.transformed.scop.statements[of.instance.statement].accesses.get(*at)?;
        Some((access, of.instance.subscripts.get(*at).and_then(Option::as_ref)))
    }

    /// An operand that is read and written, in the source at one place, if these are two places now: values pass between variables, as
    /// expansion gave them one for each purpose.
    fn split_operand(&self, of: &Occurrence, positions: &[usize]) -> Result<Option<(String, String)>, String> {
        let [one, other] = positions else { return Ok(None) };
        let (Some(one), Some(other)) = (self.access(of, *one), self.access(of, *other)) else { return Ok(None) };
        if (one.0.array, one.1) == (other.0.array, other.1) {
            return Ok(None);
        }
        let (read, written) = match (one.0.kind, other.0.kind) {
            (AccessKind::Read, AccessKind::Write) => (one, other),
            (AccessKind::Write, AccessKind::Read) => (other, one),
            _ => return Err("an operand has two places".into()),
        };
        let element = |(access, subscripts): (&Access, Option<&Vec<Expr>>)| {
            self.element(access.array, subscripts.ok_or("the subscripts of an operand are not known")?)
        };
        Ok(Some((element(read)?, element(written)?)))
    }

    /// Prints `x op= e` as `written = read op (e)`.
    fn assign(&self, text: &mut Replaced, template: &Template, read: &str, written: &str) -> Result<(), String> {
        let rest = text.source.get(text.at..template.range.end).ok_or("a place in a statement is outside of it")?;
        let blank = blanked(rest);
        let after = blank.trim_start();
        let start = blank.len() - after.len();
        if text.text.is_empty()
            && let Some(rest) = after.strip_prefix("++").or_else(|| after.strip_prefix("--"))
            && matches!(rest.trim(), "" | ";")
        {
            text.text = format!("{written} = {read} {} 1", &after[..1]);
            text.at += start + 2;
            return Ok(());
        }
        let operators = ["<<", ">>", "+", "-", "*", "/", "%", "&", "|", "^"];
        let operator = operators
            .into_iter()
            .find(|operator| after.strip_prefix(operator).is_some_and(|rest| rest.starts_with('=')));
        let operator = operator.ok_or("an operand that is read and written was split in two")?;
        let start = start + operator.len() + 1;
        let start = start + (blank[start..].len() - blank[start..].trim_start().len());
        text.text += &format!("{written} = {read} {operator} (");
        text.closing.push(text.at + end_of_operand(&blank, start));
        text.at += start;
        Ok(())
    }

    fn hole(&self, of: &Occurrence, template: &Template, hole: &Hole) -> Result<String, String> {
        let statement = &self.context.region.scop.statements[of.evaluation.statement];
        let text = &self.context.file.text[hole.range.clone()];
        match &hole.kind {
            HoleKind::Iterator(number) => {
                let source = *statement.loops.get(*number).ok_or("a statement names a loop that is not round it")?;
                let expr = of.iterators.get(*number).ok_or("a loop variable has no value")?;
                let least = self.least_binding(template, hole);
                Ok(self.scope().print_as(expr, &self.context.region.loops[source], least))
            }
            HoleKind::Counted(counted) => {
                let iterators = counted.iterators.iter().map(|&(number, factor)| {
                    let expr = of.iterators.get(number).ok_or("a loop variable has no value")?;
                    Ok((expr.clone(), factor))
                });
                let terms: Result<Vec<(Expr, i64)>, String> = iterators.collect();
                let params = counted.params.iter().map(|&(param, factor)| (Expr::Param(param), factor));
                let sum = sum(terms?.into_iter().chain(params), counted.constant);
                Ok(self.scope().print_as(&sum, &counted.variable, self.least_binding(template, hole)))
            }
            HoleKind::Access(positions) => {
                if let [position] = positions[..]
                    && let Some(Operand::Value(value)) = of.evaluation.operands.get(position)
                {
                    return self.value(value, of.instance, self.least_binding(template, hole));
                }
                let array = self.accessed(of, positions)?;
                if !hole.is_derived && self.is_unchanged(array) && self.has_same_variables(of, text) {
                    return Ok(text.to_owned());
                }
                let subscripts = |&position: &usize| self.access(of, position).and_then(|(_, subscripts)| subscripts);
                let subscripts: Option<Vec<_>> = positions.iter().map(subscripts).collect();
                match subscripts.as_deref() {
                    Some([first, others @ ..]) if others.iter().all(|other| other == first) => {
                        self.element(array, first)
                    }
                    _ => Err(format!("the subscripts of `{text}` are not known")),
                }
            }
            HoleKind::Name(position) => {
                let array = self.accessed(of, &[*position])?;
                match &self.context.plan.places[array] {
                    Place::Unknown | Place::Source(_) if self.is_unchanged(array) => Ok(text.to_owned()),
                    Place::Array(_) if self.keeps_subscripts(array) => Ok(self.names(array)?[0].clone()),
                    Place::Cells(1) if self.context.region.arrays[self.origin(array)].form == Form::Scalar => {
                        Ok(self.names(array)?[0].clone())
                    }
                    _ => Err(format!("`{text}` has moved, but its subscripts are not known")),
                }
            }
        }
    }

    /// The one array that is accessed at these positions.
    fn accessed(&self, of: &Occurrence, positions: &[usize]) -> Result<Array, String> {
        let mut arrays = positions.iter().map(|&position| self.access(of, position).map(|(access, _)| access.array));
        match arrays.next().flatten() {
            Some(first) if arrays.all(|other| other == Some(first)) => Ok(first),
            _ => Err("an operand that is read and written was split in two".into()),
        }
    }

    fn origin(&self, array: Array) -> Array {
        self.context.transformed.scop.arrays[array].origin
    }

    fn names(&self, array: Array) -> Result<&[String], String> {
        let missing =
            || format!("`{}` is used where it is not declared", self.context.transformed.scop.arrays[array].name);
        self.arrays.get(&array).map(Vec::as_slice).ok_or_else(missing)
    }

    /// The array is where the source has it, with the subscripts that it has there.
    fn is_unchanged(&self, array: Array) -> bool {
        match &self.context.plan.places[array] {
            Place::Unknown => true,
            Place::Source(dims) => dims.is_empty() || self.context.transformed.program.fates[array] == Fate::Kept,
            Place::Cells(_) | Place::Array(_) => false,
        }
    }

    /// The array is new, but has the source's dimensions in full.
    fn keeps_subscripts(&self, array: Array) -> bool {
        let data = &self.context.transformed.scop.arrays[array];
        match &self.context.transformed.program.fates[array] {
            Fate::Kept => true,
            Fate::Window { moduli } => {
                moduli[..data.expanded].iter().all(|modulus| *modulus == Some(1))
                    && moduli[data.expanded..].iter().all(Option::is_none)
            }
            Fate::Scalar | Fate::Registers { .. } => false,
        }
    }

    /// Every loop variable of the statement that `text` names has that name here, too.
    fn has_same_variables(&self, of: &Occurrence, text: &str) -> bool {
        let statement = &self.context.region.scop.statements[of.evaluation.statement];
        statement.loops.iter().zip(&of.iterators).all(|(&source, expr)| {
            let name = &self.context.region.scop.loops[source].name;
            let is_same =
                || matches!(expr, Expr::Iterator(t) if self.variables.get(t).is_some_and(|v| v.name == *name));
            !has_word(text, name) || is_same()
        })
    }

    /// How tightly what replaces this hole has to hold together.
    fn least_binding(&self, template: &Template, hole: &Hole) -> Binding {
        let text = &self.context.file.text;
        let before = text[template.range.start..hole.range.start].trim_end();
        let after = text[hole.range.end..template.range.end].trim_start();
        let is_assigned = before.strip_suffix('=').is_some_and(|left| !left.ends_with(['=', '<', '>', '!']));
        if (before.ends_with('[') && after.starts_with(']'))
            || (is_assigned && (after.is_empty() || after.starts_with(';')))
        {
            Binding::Any
        } else if after.starts_with('[')
            || (before.ends_with("sizeof") && !before.bytes().rev().nth(6).is_some_and(is_word))
        {
            Binding::Atom
        } else {
            Binding::Primary
        }
    }

    /// An element of an array.
    fn element(&self, array: Array, subscripts: &[Expr]) -> Result<String, String> {
        let c_array = &self.context.region.arrays[self.origin(array)];
        let mismatch = || format!("`{}` has other dimensions than its subscripts", c_array.name);
        let zero = Expr::Int(0);
        match &self.context.plan.places[array] {
            Place::Unknown => Err(mismatch()),
            Place::Source(dims) => {
                let subscripts: Option<Vec<&Expr>> =
                    dims.iter().map(|dim| dim.map_or(Some(&zero), |at| subscripts.get(at))).collect();
                let subscripts = subscripts.ok_or_else(mismatch)?;
                let resized = match self.context.plan.outside.get(&self.origin(array)) {
                    Some(Change::Resized(Resized { strides, .. })) => strides.as_ref(),
                    _ => None,
                };
                let start = c_array.start.as_ref().filter(|_| resized.is_none());
                match &c_array.form {
                    Form::Scalar => Ok(c_array.name.clone()),
                    Form::Pointed => Ok(format!("*{}", c_array.name)),
                    Form::Nested => Ok(self.nested_element(&c_array.name, &subscripts)),
                    Form::Linear(own) if own.len() == subscripts.len() => {
                        let sum = self.linear(&subscripts, resized.unwrap_or(own));
                        Ok(match start.map(|start| (start, sum.strip_prefix('-'))) {
                            None => format!("{}[{sum}]", c_array.name),
                            Some((start, _)) if sum == "0" => format!("{}[{start}]", c_array.name),
                            Some((start, Some(less))) => format!("{}[{start} - {less}]", c_array.name),
                            Some((start, None)) => format!("{}[{start} + {sum}]", c_array.name),
                        })
                    }
                    Form::Linear(_) | Form::Unknown => Err(mismatch()),
                }
            }
            Place::Cells(_) => match (self.names(array)?, subscripts) {
                ([name], _) => Ok(name.clone()),
                (names, [Expr::Int(number)]) => {
                    usize::try_from(*number).ok().and_then(|number| names.get(number)).cloned().ok_or_else(mismatch)
                }
                _ => Err(mismatch()),
            },
            Place::Array(new) => {
                let subscripts: Vec<&Expr> = subscripts.iter().collect();
                let name = &self.names(array)?[0];
                if subscripts.len() != new.extents.len() {
                    Err(mismatch())
                } else if new.is_linear {
                    let extents: Vec<String> = new.extents.iter().map(|extent| extent.text.clone()).collect();
                    Ok(format!("{name}[{}]", self.linear(&subscripts, &strides(&extents))))
                } else {
                    Ok(self.nested_element(name, &subscripts))
                }
            }
        }
    }

    fn nested_element(&self, name: &str, subscripts: &[&Expr]) -> String {
        let subscripts =
            subscripts.iter().map(|subscript| format!("[{}]", self.scope().print(subscript, Binding::Any)));
        name.to_owned() + &subscripts.collect::<String>()
    }

    /// A subscript of all dimensions in one.
    fn linear(&self, subscripts: &[&Expr], strides: &[String]) -> String {
        let terms = subscripts.iter().zip(strides).filter(|(subscript, _)| ***subscript != Expr::Int(0));
        let terms = terms.map(|(subscript, stride)| match (subscript, stride.as_str()) {
            (_, "1") => self.scope().print(subscript, Binding::Sum),
            (Expr::Int(1), stride) => stride.to_owned(),
            (_, stride) => format!("{} * {}", self.scope().print(subscript, Binding::Product), factor(stride)),
        });
        let sum = terms.reduce(|sum, term| match term.strip_prefix('-') {
            Some(term) => format!("{sum} - {term}"),
            None => format!("{sum} + {term}"),
        });
        sum.unwrap_or_else(|| "0".into())
    }
}

/// The text of a statement while places in it are replaced.
struct Replaced<'a> {
    source: &'a str,
    /// What has been printed.
    text: String,
    /// Where the text goes on that has not been.
    at: usize,
    /// Where parentheses close that the source does not have.
    closing: Vec<usize>,
}

impl Replaced<'_> {
    /// Copies the source up to a place.
    fn copy(&mut self, end: usize) -> Result<(), String> {
        let mut at = self.at;
        while let Some(&close) = self.closing.last()
            && close <= end
        {
            self.text += self.source.get(at..close).ok_or("places in a statement overlap")?;
            self.text.push(')');
            self.closing.pop();
            at = close;
        }
        self.text += self.source.get(at..end).ok_or("places in a statement overlap")?;
        self.at = end;
        Ok(())
    }
}

/// The sum of these terms and a constant.
fn sum(terms: impl Iterator<Item = (Expr, i64)>, constant: i64) -> Expr {
    let binary = |op, left, right| Expr::Binary(op, Box::new(left), Box::new(right));
    let mut sum = None;
    for (term, factor) in terms {
        let (size, is_less) = (factor.saturating_abs(), factor < 0);
        let term = if size == 1 { term } else { binary(BinOp::Mul, Expr::Int(size), term) };
        sum = Some(match (sum, is_less) {
            (None, false) => term,
            (None, true) => Expr::Neg(Box::new(term)),
            (Some(sum), false) => binary(BinOp::Add, sum, term),
            (Some(sum), true) => binary(BinOp::Sub, sum, term),
        });
    }
    match (sum, constant) {
        (None, _) => Expr::Int(constant),
        (Some(sum), 0) => sum,
        (Some(sum), 1..) => binary(BinOp::Add, sum, Expr::Int(constant)),
        (Some(sum), _) => binary(BinOp::Sub, sum, Expr::Int(constant.saturating_neg())),
    }
}

/// Where the right operand of an assignment ends that begins at `start`.
pub(crate) fn end_of_operand(blank: &str, start: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in blank.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth > 0 => depth -= 1,
            b')' | b']' | b'}' | b',' | b';' if depth == 0 => return at,
            _ => {}
        }
    }
    blank.len()
}

/// A C expression as an operand of a product.
pub(super) fn factor(text: &str) -> String {
    let is_whole = text.starts_with('(') && closes_at_end(text);
    if is_whole || text.bytes().all(is_word) { text.into() } else { format!("({text})") }
}

/// The parenthesis at the start closes at the end.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return at + 1 == text.len(),
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}
