//! Loop order for unit stride: a loop of reductions that walk down columns becomes reductions of loops along rows.
//!
//! ```text
//! for j { s = e0; for k { s = s op e(k, j) }; D[j] = f(s) }
//!     becomes   for j0 step 128 {
//!                 for j { S[j-j0] = e0 }
//!                 for k { for j { S[j-j0] = S[j-j0] op e(k, j) } }
//!                 for j { D[j] = f(S[j-j0]) }
//!               }   where j goes from j0 to below j0+128
//! ```
//!
//! The body may be any sequence of straight-line code and such inner loops; scalars that pass from one to another become
//! arrays of a tile's width. Every column is computed in the same order as before, so no bit changes. It pays if some read of
//! an inner loop has its variable in another subscript than the last, and is only done if all reads there then have unit
//! stride or none. Several steps of `k` are taken at once, so that the elements of `S` are loaded and stored more seldom.
//! Knows nothing of the array IR.

use crate::access::each_node;
use crate::replace_loops::replace_loops;
use crate::straight::{Mention, each_expr, is_straight, mentions_of, reads, renamed_stmt};
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// Steps of an inner loop taken at once.
const STEPS_AT_ONCE: i64 = 4;
/// Inner loops with more statements take one step at a time.
const LARGEST_STEP: usize = 8;
/// Columns taken at once; what is kept of them stays in the nearest cache.
const TILE: i64 = 128;
/// Fewer columns are not worth a loop along them.
const LEAST_COLUMNS: i64 = 8;

/// Exchanges loops wherever that makes strides shorter.
pub(crate) fn interchange_loops(proc: &mut Proc) {
    replace_loops(proc, &mut |proc, id| Columns::of(proc, id).map(|columns| vec![columns.exchanged(proc)]));
}

/// A loop over columns that may and should be exchanged with the loops in it.
struct Columns {
    header: LoopData,
    column: Var,
    segments: Vec<Segment>,
    /// Variables that pass from segment to segment.
    expanded: BTreeSet<Var>,
}

/// A stretch of the body of a loop over columns.
struct Segment {
    /// The inner loop around it, if there is one, and its variable.
    rows: Option<(LoopData, Var)>,
    body: Vec<Stmt>,
    mentions: BTreeMap<Var, Mention>,
}

impl Columns {
    fn of(proc: &Proc, id: Loop) -> Option<Self> {
        let data = &proc.loops[id];
        let (LoopKind::Independent { reductions, .. }, Some(column), 1) = (&data.kind, data.var, data.step) else {
            return None;
        };
        let few =
            data.upper.as_i64().zip(data.lower.as_i64()).is_some_and(|(upper, lower)| upper - lower < LEAST_COLUMNS);
        if !reductions.is_empty() || few {
            return None;
        }
        let mut segments: Vec<Segment> = Vec::new();
        for stmt in &data.body {
            match stmt {
                Stmt::For(inner) => segments.push(Segment::inner_loop(&proc.loops[*inner])?),
                Stmt::Assign { .. } | Stmt::Store { .. } | Stmt::If { .. } if is_straight(stmt, true) => {
                    match segments.last_mut().filter(|last| last.rows.is_none()) {
                        Some(last) => last.body.push(stmt.clone()),
                        None => segments.push(Segment::straight(stmt.clone())),
                    }
                }
                Stmt::Assign { .. }
                | Stmt::Store { .. }
                | Stmt::If { .. }
                | Stmt::While { .. }
                | Stmt::Alloc { .. }
                | Stmt::Release { .. }
                | Stmt::Bind { .. }
                | Stmt::Swap { .. }
                | Stmt::CopyElements { .. }
                | Stmt::Output { .. }
                | Stmt::Check { .. }
                | Stmt::Call { .. } => return None,
            }
        }
        let mut assigned_in = BTreeMap::new();
        for (at, segment) in segments.iter_mut().enumerate() {
            segment.mentions = mentions_of(&segment.body);
            for (&var, mention) in &segment.mentions {
                if mention.assigned {
                    assigned_in.entry(var).or_insert(at);
                }
            }
        }
        // The bounds of inner loops are those of all columns.
        let fixed = segments.iter().filter_map(|segment| segment.rows.as_ref()).all(|(rows, _)| {
            [&rows.lower, &rows.upper].iter().all(|bound| {
                !reads(bound, column)
                    && !crate::access::has_load(bound)
                    && !assigned_in.keys().any(|&var| reads(bound, var))
            })
        });
        let passes = |&(&var, &at): &(&Var, &usize)| segments[at + 1..].iter().any(|s| s.mentions.contains_key(&var));
        let expanded = assigned_in.iter().filter(passes).map(|(&var, _)| var).collect();
        let pays = fixed && pays(&segments, column);
        pays.then(|| Self { header: data.clone(), column, segments, expanded })
    }

    /// The loop over tiles of columns.
    fn exchanged(self, proc: &mut Proc) -> Stmt {
        let (first, end) = (proc.var(Scalar::I64, None), proc.var(Scalar::I64, None));
        let limit = Expr::binary(BinOp::Min, Expr::Var(first) + Expr::i64(TILE), self.header.upper.clone());
        let mut body = vec![Stmt::Assign { var: end, value: limit }];
        let mut kept = BTreeMap::new();
        for &var in &self.expanded {
            let array = proc.arrays.push(ArrayData {
                elem: proc.vars[var].scalar,
                extents: vec![Expr::i64(TILE)],
                storage: Storage::Stack,
                name: proc.vars[var].name.clone(),
                span: self.header.span,
            });
            body.push(Stmt::Alloc { array });
            kept.insert(var, array);
        }
        let tile = Tile { columns: &self, kept, first, end };
        for segment in &self.segments {
            match &segment.rows {
                None => body.push(Stmt::For(tile.along_columns(proc, segment, None))),
                Some((rows, row)) if rows.step == 1 && segment.body.len() <= LARGEST_STEP => {
                    // The number of steps taken at once is made a multiple by a loop over the rest.
                    let whole = proc.var(Scalar::I64, None);
                    let distance = Expr::binary(BinOp::Max, rows.upper.clone() - rows.lower.clone(), Expr::i64(0));
                    let blocks = Expr::binary(BinOp::Div, distance, Expr::i64(STEPS_AT_ONCE));
                    let value = rows.lower.clone() + blocks * Expr::i64(STEPS_AT_ONCE);
                    body.push(Stmt::Assign { var: whole, value });
                    let blocked = proc.var(Scalar::I64, proc.vars[*row].name.clone());
                    let steps: Vec<Expr> =
                        (0..STEPS_AT_ONCE).map(|step| Expr::Var(blocked) + Expr::i64(step)).collect();
                    let inner = tile.along_columns(proc, segment, Some(&steps));
                    let header =
                        LoopData { var: Some(blocked), step: STEPS_AT_ONCE, upper: whole.into(), ..rows.clone() };
                    body.push(in_rows(proc, header, inner));
                    body.push(tile.row_by_row(proc, segment, LoopData { lower: whole.into(), ..rows.clone() }, *row));
                }
                Some((rows, row)) => body.push(tile.row_by_row(proc, segment, rows.clone(), *row)),
            }
        }
        let made = proc.loops.push(LoopData { var: Some(first), step: TILE, body, ..self.header });
        Stmt::For(made)
    }
}

/// The loop over rows around one along columns.
fn in_rows(proc: &mut Proc, header: LoopData, along_columns: Loop) -> Stmt {
    let body = vec![Stmt::For(along_columns)];
    Stmt::For(proc.loops.push(LoopData { kind: LoopKind::Sequential, body, ..header }))
}

/// Some columns that are computed together.
struct Tile<'c> {
    columns: &'c Columns,
    /// What is kept of each column between segments.
    kept: BTreeMap<Var, Array>,
    first: Var,
    end: Var,
}

impl Tile<'_> {
    fn row_by_row(&self, proc: &mut Proc, segment: &Segment, rows: LoopData, row: Var) -> Stmt {
        let var = proc.var(Scalar::I64, proc.vars[row].name.clone());
        let inner = self.along_columns(proc, segment, Some(&[Expr::Var(var)]));
        in_rows(proc, LoopData { var: Some(var), ..rows }, inner)
    }

    /// A loop along the columns over a segment, with variables of its own; once for each of the rows.
    fn along_columns(&self, proc: &mut Proc, segment: &Segment, rows: Option<&[Expr]>) -> Loop {
        let fresh = |proc: &mut Proc, var: Var| {
            let known = proc.vars[var].clone();
            Expr::Var(proc.vars.push(known))
        };
        let column = proc.var(Scalar::I64, proc.vars[self.columns.column].name.clone());
        let mut renaming = BTreeMap::from([(self.columns.column, Expr::Var(column))]);
        let place = vec![Expr::Var(column) - Expr::Var(self.first)];
        let (mut body, mut ending) = (Vec::new(), Vec::new());
        for (&var, mention) in &segment.mentions {
            let kept = self.kept.get(&var);
            if !mention.assigned && kept.is_none() {
                continue;
            }
            let renamed = fresh(proc, var);
            renaming.insert(var, renamed.clone());
            let (Some(&array), Expr::Var(own)) = (kept, &renamed) else { continue };
            if mention.enters {
                body.push(Stmt::Assign { var: *own, value: Expr::Load { array, index: place.clone() } });
            }
            if mention.assigned {
                ending.push(Stmt::Store { array, index: place.clone(), value: renamed.clone() });
            }
        }
        match (&segment.rows, rows) {
            (Some((_, row)), Some(steps)) => {
                for (at, step) in steps.iter().enumerate() {
                    // What one step leaves to no other gets new names in the next.
                    for (&var, mention) in segment.mentions.iter().filter(|_| at > 0) {
                        if mention.assigned && !mention.enters && !self.kept.contains_key(&var) {
                            let renamed = fresh(proc, var);
                            renaming.insert(var, renamed);
                        }
                    }
                    renaming.insert(*row, step.clone());
                    body.extend(segment.body.iter().map(|stmt| renamed_stmt(stmt, &renaming)));
                }
            }
            (None, _) | (Some(_), None) => body.extend(segment.body.iter().map(|stmt| renamed_stmt(stmt, &renaming))),
        }
        body.extend(ending);
        proc.loops.push(LoopData {
            var: Some(column),
            lower: self.first.into(),
            upper: self.end.into(),
            step: 1,
            kind: LoopKind::Independent { parallel: None, simd: false, reductions: Vec::new() },
            body,
            span: self.columns.header.span,
        })
    }
}

impl Segment {
    fn straight(stmt: Stmt) -> Self {
        Self { rows: None, body: vec![stmt], mentions: BTreeMap::new() }
    }

    fn inner_loop(data: &LoopData) -> Option<Self> {
        let is_plain = data.body.iter().all(|stmt| is_straight(stmt, false));
        let header = LoopData { body: Vec::new(), ..data.clone() };
        is_plain.then_some(Self { rows: Some((header, data.var?)), body: data.body.clone(), mentions: BTreeMap::new() })
    }
}

/// Some read of an inner loop goes down a column now, and all will go along rows or stay.
fn pays(segments: &[Segment], column: Var) -> bool {
    let (mut strided, mut unit) = (false, true);
    for segment in segments {
        let Some((_, row)) = &segment.rows else { continue };
        for stmt in &segment.body {
            each_expr(stmt, &mut |expr| {
                each_node(expr, &mut |node| {
                    if let Expr::Load { array: _, index } = node {
                        let Some((last, others)) = index.split_last() else { return };
                        unit &= others.iter().all(|e| !reads(e, column));
                        unit &= !reads(last, column) || is_shifted(last, column);
                        strided |= others.iter().any(|e| reads(e, *row)) && reads(last, column);
                    }
                });
            });
        }
    }
    strided && unit
}

/// The variable, or it and something else that does not mention it.
fn is_shifted(expr: &Expr, var: Var) -> bool {
    match expr {
        Expr::Var(found) => *found == var,
        Expr::Binary { op: BinOp::Add, x, y } => {
            (is_shifted(x, var) && !reads(y, var)) || (is_shifted(y, var) && !reads(x, var))
        }
        Expr::Binary { op: BinOp::Sub, x, y } => is_shifted(x, var) && !reads(y, var),
        Expr::Binary { .. }
        | Expr::Const(_)
        | Expr::Load { .. }
        | Expr::Unary { .. }
        | Expr::Select { .. }
        | Expr::Threads => false,
    }
}
