//! Functions that C defines: what their declarations mean there.
//!
//! What a parameter or result is in C is in `docs/sac.md`. A function that is called becomes one whose body is the call in C, so that
//! the rest of the compiler treats its parameters and results as those of any other.

use super::Checker;
use super::error::SacError;
use super::modules::DeclId;
use super::types::{BOOL, scalar, vector};
use crate::sac::ast::{Basic, Inlining, Link, TypeExpr};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{
    Axis, Elem, Expr, ExprKind, ForeignCall, ForeignFunction, Function, FunctionId, Local, LocalData, Pattern, Stmt,
    StmtKind,
};
use frit_ir::effect::Foreign;
use frit_ir::effect::foreign::{CType, Code, Part, PartForm};
use frit_support::Span;
use std::collections::HashMap;
use std::sync::Arc;

impl Checker<'_> {
    /// Makes a function of an external one.
    pub(super) fn external_function(&mut self, declaration: DeclId, id: FunctionId) {
        let Some(link) = self.declarations[declaration].link else { return };
        let (unit, signature) = (self.declarations[declaration].unit, self.declarations[declaration].signature);
        let types = self.signature(declaration);
        let (params, mut determined) = self.parameters(declaration);
        let mut unbound = HashMap::new();
        let mut results: Vec<Pattern> = Vec::new();
        let references: Vec<&TypeExpr> = types.references.iter().map(|at| &signature.params[*at].ty).collect();
        for (ty, (elem, _)) in signature.results.iter().chain(references).zip(&types.results) {
            results.push(self.pattern(ty, elem.unwrap_or(BOOL), Some(&mut unbound)));
        }
        self.check_open_parts(&results.iter().collect::<Vec<_>>(), &mut determined);
        let requires = self.constraints(signature, &[], false);
        let Some(foreign) = self.foreign(declaration, link) else { return };
        let unbound: Vec<Local> = unbound.into_values().map(|(local, _)| local).collect();
        let declared = signature.results.len();
        for (pattern, part) in results[..declared].iter().zip(&foreign.results) {
            let is_known = |axis: &Axis| match axis {
                Axis::Extent(_) => true,
                Axis::Bind(local) | Axis::Axes { shape: Some(local), .. } => !unbound.contains(local),
                Axis::Any | Axis::Rest { .. } | Axis::Axes { shape: None, .. } => false,
            };
            if part.form == PartForm::Array && !pattern.axes.iter().all(is_known) {
                return self.error(SacError::Unsupported {
                    span: pattern.span,
                    what: "an array from C whose extents the call does not tell",
                    instead: "say the extents by numbers or by parameters, as in `external double[n] f(int n);`",
                });
            }
        }
        let span = signature.name.span;
        let foreign = self.known_foreign(foreign, span);
        let text = foreign.results.iter().any(|part| part.form == PartForm::Text);
        let text = text.then(|| self.known_foreign(Foreign::text(), Span::NONE));
        self.program.libraries.extend(link.libraries.iter().cloned());
        let mut locals = std::mem::take(&mut self.body.locals);
        let args = params.iter().map(|param| Expr { kind: ExprKind::Local(param.local), span }).collect();
        let is_given = |pattern: &Pattern| self.is_handle(pattern.elem);
        let from_c: Vec<Pattern> = results[..declared]
            .iter()
            .chain(results[declared..].iter().filter(|pattern| !is_given(pattern)))
            .cloned()
            .collect();
        let targets: Vec<Local> = from_c
            .iter()
            .map(|pattern| locals.push(LocalData { name: "result".to_owned(), elem: pattern.elem, span }))
            .collect();
        // A handle is the same behind the call: what it stands for has changed.
        let mut taken = targets.iter().copied();
        let mut returned: Vec<Local> = taken.by_ref().take(declared).collect();
        for (pattern, at) in results[declared..].iter().zip(&types.references) {
            returned.extend(if is_given(pattern) { Some(params[*at].local) } else { taken.next() });
        }
        let call = ForeignCall { foreign, text, args, results: from_c };
        let value = Expr { kind: ExprKind::Foreign(Box::new(call)), span };
        let kind = StmtKind::Assign { targets: targets.iter().copied().map(Some).collect(), value };
        let name = &self.units[unit].name;
        self.program.functions[id] = Function {
            name: signature.name.text.clone(),
            module: (!name.is_empty()).then(|| name.clone()),
            inlining: Inlining::Free,
            params,
            results,
            locals,
            requires,
            ensures: Vec::new(),
            body: vec![Stmt { kind, span }],
            returns: returned.into_iter().map(|local| Expr { kind: ExprKind::Local(local), span }).collect(),
            span,
        };
    }

    /// The one that is shared by all who call it.
    fn known_foreign(&mut self, foreign: Foreign, span: Span) -> Arc<Foreign> {
        if let Some(known) = self.program.foreign.iter().find(|known| *known.foreign == foreign) {
            return known.foreign.clone();
        }
        let foreign = Arc::new(foreign);
        self.program.foreign.push(ForeignFunction { foreign: foreign.clone(), span });
        foreign
    }

    /// What a declaration means in C.
    fn foreign(&mut self, declaration: DeclId, link: &Link) -> Option<Foreign> {
        let signature = self.declarations[declaration].signature;
        let types = self.signature(declaration);
        if let Some(span) = link.dots {
            self.error(SacError::Unsupported {
                span,
                what: "calling a function in C with any number of arguments",
                instead: "declare each use of it as a function of its own, with `#pragma linkname`, and define that in C",
            });
            return None;
        }
        let name = link.name.as_ref().unwrap_or(&signature.name);
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name = name.text.starts_with(is_letter) && name.text.chars().all(|c| is_letter(c) || c.is_ascii_digit());
        if !is_name {
            self.error(SacError::ForeignName { span: name.span, name: name.text.clone() });
            return None;
        }
        let declared = signature.results.len();
        let mut parts = Vec::new();
        let written = signature.results.iter().chain(signature.params.iter().map(|param| &param.ty));
        for ((elem, class), ty) in types.results[..declared].iter().chain(&types.params).zip(written) {
            parts.push(self.foreign_part((*elem)?, class, ty.span)?);
        }
        if let Some(&at) = types.references.iter().find(|at| parts[declared + **at].form == PartForm::Text) {
            self.error(SacError::Unsupported {
                span: signature.params[at].ty.span,
                what: "a text that C changes",
                instead: "let the function return the new text",
            });
            return None;
        }
        let is_returned = parts[..declared].first().is_some_and(|part| part.form != PartForm::Array);
        let first = usize::from(!is_returned);
        let places: Vec<usize> = match &link.sign {
            Some((places, _)) => places.clone(),
            None => (first..first + parts.len()).collect(),
        };
        if let Some((_, span)) = link.sign
            && let Err(problem) = checked_places(&places, &parts, declared)
        {
            self.error(SacError::LinkSign { span, problem });
            return None;
        }
        parts.iter_mut().zip(places).for_each(|(part, place)| part.place = place);
        let args = parts.split_off(declared);
        // What a handle stands for may change.
        let is_ordered = link.has_effect
            || types.results.is_empty()
            || args.iter().chain(&parts).any(|part| part.ty == CType::Pointer);
        // What changes is the parameter itself, or what it stands for.
        let changed = types.references.iter().filter(|at| args[**at].ty != CType::Pointer);
        parts.extend(changed.map(|at| args[*at]));
        Some(Foreign { name: name.text.clone(), is_ordered, args, results: parts, code: Code::default() })
    }

    fn is_handle(&self, elem: Elem) -> bool {
        matches!(elem, Elem::Nominal(id) if self.program.nominals[id].is_handle)
    }

    fn foreign_part(&mut self, elem: Elem, class: &Class, span: Span) -> Option<Part> {
        if self.is_handle(elem) && *class == scalar() {
            return Some(Part { ty: CType::Pointer, form: PartForm::Scalar, place: 0 });
        }
        let Elem::Basic(basic) = elem else {
            self.error(SacError::Unsupported {
                span,
                what: "handing a value of such a type to C",
                instead: "hand over its elements, `(double[2])z`, or its fields",
            });
            return None;
        };
        let form = if *class == scalar() {
            PartForm::Scalar
        } else if basic != Basic::Char {
            PartForm::Array
        } else if *class == vector(None) {
            PartForm::Text
        } else {
            self.error(SacError::Unsupported {
                span,
                what: "handing characters to C in other arrays than vectors of any length",
                instead: "declare the text as `char[.]` or `string`",
            });
            return None;
        };
        Some(Part { ty: c_type(basic), form, place: 0 })
    }
}

/// Why these are no places of parts, of which the first `results` are results.
fn checked_places(places: &[usize], parts: &[Part], results: usize) -> Result<(), String> {
    if places.len() != parts.len() {
        let problem = format!("there are {} results and parameters, but {} places", parts.len(), places.len());
        return Err(problem);
    }
    let (of_results, of_params) = places.split_at(results);
    let is_repeated = |places: &[usize]| (1..places.len()).any(|at| places[..at].contains(&places[at]));
    if is_repeated(of_results) || is_repeated(of_params) {
        return Err("two have the same place".to_owned());
    }
    if of_params.contains(&0) {
        return Err("0 is the place of what C returns, and this is a parameter".to_owned());
    }
    let most = places.iter().copied().max().unwrap_or(0);
    if let Some(missing) = (1..=most).find(|place| !places.contains(place)) {
        return Err(format!("there is nothing for parameter {missing} in C"));
    }
    for (at, place) in of_results.iter().enumerate() {
        let part = parts[at];
        match part.form {
            PartForm::Array if *place == 0 => {
                return Err("C returns no arrays: give the result a place among the parameters".to_owned());
            }
            PartForm::Text if *place != 0 => {
                return Err("a text is what C returns: give it the place 0".to_owned());
            }
            PartForm::Array | PartForm::Text | PartForm::Scalar => {}
        }
        let same = of_params.iter().position(|other| other == place).map(|param| parts[results + param]);
        if same.is_some_and(|same| same != part) {
            return Err(format!("the result and the parameter at {place} are of different types"));
        }
    }
    Ok(())
}

/// The type in C.
fn c_type(basic: Basic) -> CType {
    match basic {
        Basic::Bool => CType::Bool,
        Basic::Char => CType::Char,
        Basic::Byte => CType::SignedChar,
        Basic::Short => CType::Short,
        Basic::Int => CType::Int,
        Basic::Long => CType::Long,
        Basic::LongLong => CType::LongLong,
        Basic::UByte => CType::UnsignedChar,
        Basic::UShort => CType::UnsignedShort,
        Basic::UInt => CType::UnsignedInt,
        Basic::ULong => CType::UnsignedLong,
        Basic::ULongLong => CType::UnsignedLongLong,
        Basic::Float => CType::Float,
        Basic::Double => CType::Double,
    }
}
