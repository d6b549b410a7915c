//! Functions that no text defines: what sugar stands for where it needs names of its own. A selection with dots becomes a call
//! of a function with a with-loop in it, so that the array is evaluated once, and only where the selection is.

use super::Checker;
use super::convert::any_pattern;
use super::expression::int;
use super::types::INT;
use crate::sac::ast::Basic;
use crate::sac::core::{
    Axis, Elem, Expr, ExprKind, Function, Generator, Inlining, Local, LocalData, Operation, OverloadId, Param, Pattern,
    Prim, Stmt, StmtKind, With,
};
use frit_ir::{BinOp, UnOp};
use frit_support::{Span, Table};

/// What becomes of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Picked {
    /// In a selection an index; in a tensor comprehension the place of the next frame axis.
    Index,
    /// `.`: one axis is kept; the place of the next cell axis.
    Axis,
    /// `...`: all axes that nothing else speaks of.
    Axes,
}

/// A function that sugar needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Helper {
    /// `(a, i, j)`: a selection with dots.
    Selection(Elem, Vec<Picked>),
    /// `(t, u)`: arrays whose first axes are the frame of a tensor comprehension, with their axes where the pattern wants them.
    Arrangement(Vec<Elem>, Vec<Picked>),
    /// `(a)`: the elements converted from `int`.
    Conversion(Basic),
}

impl Checker<'_> {
    /// The function that sugar needs.
    pub(super) fn helper(&mut self, helper: Helper) -> OverloadId {
        let id = match self.helpers.get(&helper) {
            Some(id) => *id,
            None => {
                let function = match &helper {
                    Helper::Selection(elem, picked) => selection(&self.helper_name(&helper), *elem, picked),
                    Helper::Arrangement(elems, placed) => arrangement(&self.helper_name(&helper), elems, placed),
                    Helper::Conversion(to) => conversion(&self.helper_name(&helper), *to),
                };
                let id = self.program.functions.push(function);
                self.helpers.insert(helper.clone(), id);
                id
            }
        };
        let name = self.program.functions[id].name.clone();
        self.overload(&name, vec![id])
    }

    /// The function that converts an array of `int`.
    pub(super) fn conversion(&mut self, to: Basic) -> OverloadId {
        self.helper(Helper::Conversion(to))
    }

    fn helper_name(&self, helper: &Helper) -> String {
        let words = |index: &str, picked: &[Picked]| {
            let words: Vec<&str> = picked
                .iter()
                .map(|picked| match picked {
                    Picked::Index => index,
                    Picked::Axis => ".",
                    Picked::Axes => "...",
                })
                .collect();
            words.join(",")
        };
        match helper {
            Helper::Selection(elem, picked) => format!("{}[{}]", self.program.elem_name(*elem), words("i", picked)),
            Helper::Arrangement(_, placed) => format!("[{}] ->", words("i", placed)),
            Helper::Conversion(to) => format!("({})", to.name()),
        }
    }
}

/// A function in the making.
struct Maker {
    locals: Table<Local, LocalData>,
    body: Vec<Stmt>,
}

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::NONE }
}

fn number(n: usize) -> Expr {
    int(i64::try_from(n).unwrap_or(i64::MAX), Span::NONE)
}

fn read(local: Local) -> Expr {
    expr(ExprKind::Local(local))
}

fn apply(prim: Prim, args: Vec<Expr>) -> Expr {
    expr(ExprKind::Prim { prim, args })
}

fn component(vector: Local, at: Expr) -> Expr {
    expr(ExprKind::Select { array: Box::new(read(vector)), index: Box::new(at) })
}

/// Part of a vector that is put together.
enum Part {
    One(Expr),
    Many(Expr),
}

fn catenated(parts: Vec<Part>) -> Expr {
    let mut whole: Option<Expr> = None;
    let mut cells = Vec::new();
    let literal = |cells: &mut Vec<Expr>| expr(ExprKind::Array { elem: INT, cells: std::mem::take(cells) });
    let mut append = |piece: Expr| {
        whole = Some(match whole.take() {
            Some(whole) => apply(Prim::Cat, vec![whole, piece]),
            None => piece,
        });
    };
    for part in parts {
        match part {
            Part::One(cell) => cells.push(cell),
            Part::Many(piece) => {
                if !cells.is_empty() {
                    append(literal(&mut cells));
                }
                append(piece);
            }
        }
    }
    if !cells.is_empty() {
        append(literal(&mut cells));
    }
    whole.unwrap_or_else(|| expr(ExprKind::Array { elem: INT, cells: Vec::new() }))
}

impl Maker {
    fn local(&mut self, name: &str, elem: Elem) -> Local {
        self.locals.push(LocalData { name: name.to_string(), elem, span: Span::NONE })
    }

    fn assign(&mut self, local: Local, value: Expr) {
        let kind = StmtKind::Assign { targets: vec![Some(local)], value };
        self.body.push(Stmt { kind, span: Span::NONE });
    }

    /// A variable that holds the result of a with-loop over all of `shape`.
    fn with_loop(&mut self, elem: Elem, shape: Expr, default: Option<Expr>, iv: Local, cell: Expr) -> (Local, Elem) {
        let result = self.local("result", elem);
        let generator = Generator {
            lower: None,
            lower_is_exclusive: false,
            upper: None,
            upper_is_inclusive: true,
            step: None,
            width: None,
            vector: Some(iv),
            scalars: None,
            body: Vec::new(),
            cells: vec![cell],
            span: Span::NONE,
        };
        let operations = vec![Operation::Genarray { shape, default, elem }];
        let with = With { generators: vec![generator], operations };
        self.assign(result, expr(ExprKind::With(Box::new(with))));
        (result, elem)
    }

    fn finish(self, name: &str, params: Vec<Param>, results: &[(Local, Elem)]) -> Function {
        Function {
            name: name.to_string(),
            module: None,
            inlining: Inlining::Inline,
            params,
            results: results.iter().map(|(_, elem)| any_pattern(*elem)).collect(),
            locals: self.locals,
            requires: Vec::new(),
            ensures: Vec::new(),
            body: self.body,
            returns: results.iter().map(|(result, _)| read(*result)).collect(),
            span: Span::NONE,
        }
    }
}

fn maker() -> Maker {
    Maker { locals: Table::new(), body: Vec::new() }
}

/// Positions in a shape of which one part is of unknown length.
struct Positions {
    /// The number of axes that are spoken of one by one.
    single: usize,
    /// Holds the number of the others, if some part stands for them.
    rest: Option<Local>,
}

impl Positions {
    fn new(maker: &mut Maker, array: Local, picked: &[Picked]) -> Positions {
        let single = picked.iter().filter(|picked| **picked != Picked::Axes).count();
        let rest = picked.contains(&Picked::Axes).then(|| {
            let rest = maker.local("rest", INT);
            let rank = apply(Prim::Dim, vec![read(array)]);
            maker.assign(rest, apply(Prim::Binary(BinOp::SUB), vec![rank, number(single)]));
            rest
        });
        Positions { single, rest }
    }

    /// The position with so many single axes before it, behind the others or not.
    fn at(&self, before: usize, is_behind: bool) -> Expr {
        match self.rest {
            Some(rest) if is_behind => apply(Prim::Binary(BinOp::ADD), vec![number(before), read(rest)]),
            _ => number(before),
        }
    }

    /// The components of a vector that are of the other axes, if so many single ones stand before them.
    fn slice(&self, vector: Local, before: usize) -> Expr {
        let behind = apply(Prim::Drop, vec![number(before), read(vector)]);
        match self.rest {
            Some(rest) => apply(Prim::Take, vec![read(rest), behind]),
            None => behind,
        }
    }
}

fn selection(name: &str, elem: Elem, picked: &[Picked]) -> Function {
    let mut maker = maker();
    let array = maker.local("array", elem);
    let mut params = vec![Param { local: array, pattern: any_pattern(elem) }];
    let shape = maker.local("shape", INT);
    let iv = maker.local("iv", INT);
    maker.assign(shape, apply(Prim::Shape, vec![read(array)]));
    let positions = Positions::new(&mut maker, array, picked);
    let (mut extents, mut source) = (Vec::new(), Vec::new());
    let (mut from, mut to, mut is_behind) = (0, 0, false);
    for picked in picked {
        match picked {
            Picked::Index => {
                let index = maker.local("i", INT);
                let pattern = Pattern { elem: INT, axes: Vec::new(), span: Span::NONE };
                params.push(Param { local: index, pattern });
                source.push(Part::One(read(index)));
                from += 1;
            }
            Picked::Axis => {
                extents.push(Part::One(component(shape, positions.at(from, is_behind))));
                source.push(Part::One(component(iv, positions.at(to, is_behind))));
                from += 1;
                to += 1;
            }
            Picked::Axes => {
                extents.push(Part::Many(positions.slice(shape, from)));
                source.push(Part::Many(positions.slice(iv, to)));
                is_behind = true;
            }
        }
    }
    if positions.rest.is_none() {
        extents.push(Part::Many(positions.slice(shape, positions.single)));
        source.push(Part::Many(positions.slice(iv, to)));
    }
    let index = Box::new(catenated(source));
    let cell = expr(ExprKind::Select { array: Box::new(read(array)), index });
    let result = maker.with_loop(elem, catenated(extents), None, iv, cell);
    maker.finish(name, params, &[result])
}

fn arrangement(name: &str, elems: &[Elem], placed: &[Picked]) -> Function {
    let mut maker = maker();
    let (mut params, mut results) = (Vec::new(), Vec::new());
    for &elem in elems {
        let array = maker.local("array", elem);
        params.push(Param { local: array, pattern: any_pattern(elem) });
        results.push(maker.arranged(array, elem, placed));
    }
    maker.finish(name, params, &results)
}

impl Maker {
    fn arranged(&mut self, array: Local, elem: Elem, placed: &[Picked]) -> (Local, Elem) {
        let maker = self;
        let shape = maker.local("shape", INT);
        let iv = maker.local("iv", INT);
        maker.assign(shape, apply(Prim::Shape, vec![read(array)]));
        let positions = Positions::new(maker, array, placed);
        let frame = placed.iter().filter(|placed| **placed == Picked::Index).count();
        let (mut extents, mut of_frame, mut of_cells) = (Vec::new(), Vec::new(), Vec::new());
        let (mut frames, mut cells, mut is_behind) = (0, 0, false);
        for placed in placed {
            let to = positions.at(frames + cells, is_behind);
            match placed {
                Picked::Index => {
                    extents.push(Part::One(component(shape, number(frames))));
                    of_frame.push(Part::One(component(iv, to)));
                    frames += 1;
                }
                Picked::Axis => {
                    extents.push(Part::One(component(shape, positions.at(frame + cells, is_behind))));
                    of_cells.push(Part::One(component(iv, to)));
                    cells += 1;
                }
                Picked::Axes => {
                    extents.push(Part::Many(positions.slice(shape, frame + cells)));
                    of_cells.push(Part::Many(positions.slice(iv, frames + cells)));
                    is_behind = true;
                }
            }
        }
        if positions.rest.is_none() {
            extents.push(Part::Many(positions.slice(shape, positions.single)));
            of_cells.push(Part::Many(positions.slice(iv, positions.single)));
        }
        of_frame.extend(of_cells);
        let index = Box::new(catenated(of_frame));
        let cell = expr(ExprKind::Select { array: Box::new(read(array)), index });
        maker.with_loop(elem, catenated(extents), None, iv, cell)
    }
}

fn conversion(name: &str, to: Basic) -> Function {
    let mut maker = maker();
    let array = maker.local("array", INT);
    let axes = vec![Axis::Rest { at_least: 0 }];
    let params = vec![Param { local: array, pattern: Pattern { elem: INT, axes, span: Span::NONE } }];
    let iv = maker.local("iv", INT);
    let element = expr(ExprKind::Select { array: Box::new(read(array)), index: Box::new(read(iv)) });
    let cell = apply(Prim::Unary(UnOp::Convert(to.scalar())), vec![element]);
    let shape = apply(Prim::Shape, vec![read(array)]);
    let zero = expr(ExprKind::Const(to.scalar().zero()));
    let result = maker.with_loop(Elem::Basic(to), shape, Some(zero), iv, cell);
    maker.finish(name, params, &[result])
}
