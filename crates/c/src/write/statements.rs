//! Statements of the source in their new places: the text with loop variables and accesses replaced, where these have changed.

use super::expressions::Binding;
use super::lexical::{blanked, has_word, is_word};
use super::loops::Printer;
use super::storage::Place;
use crate::region::{Form, Hole, HoleKind, Template};
use frit_scop::model::AccessKind;
use frit_scop::program::{Expr, Fate, Instance};
use frit_scop::{Array, Statement};

impl Printer<'_> {
    /// The text of a statement at this instance.
    pub(super) fn statement(&self, instance: &Instance) -> Result<String, String> {
        let template = &self.context.region.statements[instance.statement];
        let source = &self.context.file.text;
        let mut text = Replaced { source, text: String::new(), at: template.range.start, closing: Vec::new() };
        for hole in &template.holes {
            text.copy(hole.range.start)?;
            if let HoleKind::Access(positions) = &hole.kind
                && let Some((read, written)) = self.split_operand(instance, positions)?
            {
                text.at = hole.range.end;
                self.assign(&mut text, template, &read, &written)?;
            } else {
                text.text += &self.hole(instance, template, hole)?;
                text.at = hole.range.end;
            }
        }
        text.copy(template.range.end)?;
        Ok(text.text)
    }

    /// An operand that is read and written, in the source at one place, if these are two places now: values pass between variables, as
    /// expansion gave them one for each purpose.
    fn split_operand(&self, instance: &Instance, positions: &[usize]) -> Result<Option<(String, String)>, String> {
        let accesses = &self.context.transformed.scop.statements[instance.statement].accesses;
        let place = |position: &usize| {
            accesses
                .get(*position)
                .map(|access| (access.array, instance.subscripts.get(*position).and_then(Option::as_ref)))
        };
        let [one, other] = positions else { return Ok(None) };
        let (Some(one_at), Some(other_at)) = (place(one), place(other)) else { return Ok(None) };
        if one_at == other_at {
            return Ok(None);
        }
        let (read, written) = match (accesses[*one].kind, accesses[*other].kind) {
            (AccessKind::Read, AccessKind::Write) => (one_at, other_at),
            (AccessKind::Write, AccessKind::Read) => (other_at, one_at),
            _ => return Err("an operand has two places".into()),
        };
        let element = |(array, subscripts): (Array, Option<&Vec<Expr>>)| {
            self.element(array, subscripts.ok_or("the subscripts of an operand are not known")?)
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

    fn hole(&self, instance: &Instance, template: &Template, hole: &Hole) -> Result<String, String> {
        let statement = &self.context.region.scop.statements[instance.statement];
        let text = &self.context.file.text[hole.range.clone()];
        match &hole.kind {
            HoleKind::Iterator(number) => {
                let source = *statement.loops.get(*number).ok_or("a statement names a loop that is not round it")?;
                let expr = instance.iterators.get(*number).ok_or("a loop variable has no value")?;
                let least = self.least_binding(template, hole);
                Ok(self.scope().print_as(expr, &self.context.region.loops[source], least))
            }
            HoleKind::Access(positions) => {
                let array = self.accessed(instance.statement, positions)?;
                if !hole.is_derived && self.is_unchanged(array) && self.has_same_variables(instance, text) {
                    return Ok(text.to_owned());
                }
                let subscripts = |&position: &usize| instance.subscripts.get(position).and_then(Option::as_ref);
                let subscripts: Option<Vec<_>> = positions.iter().map(subscripts).collect();
                match subscripts.as_deref() {
                    Some([first, others @ ..]) if others.iter().all(|other| other == first) => {
                        self.element(array, first)
                    }
                    _ => Err(format!("the subscripts of `{text}` are not known")),
                }
            }
            HoleKind::Name(position) => {
                let array = self.accessed(instance.statement, &[*position])?;
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
    fn accessed(&self, statement: Statement, positions: &[usize]) -> Result<Array, String> {
        let accesses = &self.context.transformed.scop.statements[statement].accesses;
        let mut arrays = positions.iter().map(|&position| accesses.get(position).map(|access| access.array));
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
    fn has_same_variables(&self, instance: &Instance, text: &str) -> bool {
        let statement = &self.context.region.scop.statements[instance.statement];
        statement.loops.iter().zip(&instance.iterators).all(|(&source, expr)| {
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
                match &c_array.form {
                    Form::Scalar => Ok(c_array.name.clone()),
                    Form::Pointed => Ok(format!("*{}", c_array.name)),
                    Form::Nested => Ok(self.nested_element(&c_array.name, &subscripts)),
                    Form::Linear(strides) if strides.len() == subscripts.len() => {
                        Ok(format!("{}[{}]", c_array.name, self.linear(&subscripts, strides)))
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
                    let mut strides = vec!["1".to_owned()];
                    for extent in new.extents[1..].iter().rev() {
                        let inner = &strides[strides.len() - 1];
                        let extent = factor(extent);
                        strides.push(if inner == "1" { extent } else { format!("{extent} * {inner}") });
                    }
                    strides.reverse();
                    Ok(format!("{name}[{}]", self.linear(&subscripts, &strides)))
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

/// Where the right operand of an assignment ends that begins at `start`.
fn end_of_operand(blank: &str, start: usize) -> usize {
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
