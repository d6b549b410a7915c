//! Loops over columns: independent loops whose bodies are segments, each of which is straight-line
//! code or an inner loop of straight-line code.
//!
//! A pass rewrites such a loop into loops along some columns, one for each segment. Arrays keep the
//! scalars that pass from segment to segment.
//!
//! This module knows nothing of the array IR. Its users are [`crate::shape::interchange`],
//! [`crate::shape::blocking`] and [`crate::shape::array_reductions`].

use crate::shape::facts::straight_line::{Mention, each_store, is_straight, mentions_of};
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// A loop along fewer columns does not pay.
const LEAST_COLUMNS: i64 = 8;

/// A loop over columns that may be interchanged with the loops in it.
pub(crate) struct Columns {
    pub(crate) header: LoopData,
    pub(crate) column: Var,
    pub(crate) segments: Vec<Segment>,
    /// The variables that pass from segment to segment.
    pub(crate) expanded: BTreeSet<Var>,
}

/// A segment of the body of a loop over columns.
#[derive(Clone)]
pub(crate) struct Segment {
    /// The inner loop around it and its variable, if there is one.
    pub(crate) steps: Option<(LoopData, Var)>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) mentions: BTreeMap<Var, Mention>,
}

impl Columns {
    pub(crate) fn of(proc: &Proc, id: Loop) -> Option<Self> {
        let data = &proc.loops[id];
        let (LoopKind::Independent { simd: false, reductions, .. }, Some(column), 1) =
            (&data.kind, data.var, data.step)
        else {
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
                    match segments.last_mut().filter(|last| last.steps.is_none()) {
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
                | Stmt::Prefetch { .. }
                | Stmt::Effect { .. }
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
        // The bounds of an inner loop are the same for all columns.
        let fixed = segments.iter().filter_map(|segment| segment.steps.as_ref()).all(|(steps, _)| {
            [&steps.lower, &steps.upper].iter().all(|bound| {
                !bound.reads(column) && !bound.has_load() && !assigned_in.keys().any(|&var| bound.reads(var))
            })
        });
        let passes = |&(&var, &at): &(&Var, &usize)| segments[at + 1..].iter().any(|s| s.mentions.contains_key(&var));
        let expanded = assigned_in.iter().filter(passes).map(|(&var, _)| var).collect();
        fixed.then(|| Self { header: data.clone(), column, segments, expanded })
    }

    /// For each variable that passes from segment to segment, an array over these extents with an
    /// element for each cell.
    pub(crate) fn keep(&self, proc: &mut Proc, extents: &[i64]) -> BTreeMap<Var, Array> {
        let array = |&var: &Var| {
            let kept = ArrayData {
                elem: proc.vars[var].scalar,
                extents: extents.iter().map(|&extent| Expr::i64(extent)).collect(),
                storage: Storage::Stack,
                name: proc.vars[var].name.clone(),
                span: self.header.span,
            };
            (var, proc.arrays.push(kept))
        };
        self.expanded.iter().map(array).collect()
    }
}

impl Segment {
    /// True if the segment is an inner loop that stores elements.
    pub(crate) fn stores_in_steps(&self) -> bool {
        let mut found = false;
        each_store(&self.body, &mut |_, _| found = true);
        found && self.steps.is_some()
    }

    fn straight(stmt: Stmt) -> Self {
        Self { steps: None, body: vec![stmt], mentions: BTreeMap::new() }
    }

    fn inner_loop(data: &LoopData) -> Option<Self> {
        let is_plain = data.body.iter().all(|stmt| is_straight(stmt, true));
        let is_divided = matches!(data.kind, LoopKind::Independent { parallel: Some(_), .. });
        let header = data.header();
        (is_plain && !is_divided).then_some(Self {
            steps: Some((header, data.var?)),
            body: data.body.clone(),
            mentions: BTreeMap::new(),
        })
    }
}

/// Some columns that are computed together.
pub(crate) struct Tile<'c> {
    pub(crate) columns: &'c Columns,
    /// The arrays that keep each column's variables between segments.
    pub(crate) kept: BTreeMap<Var, Array>,
    pub(crate) first: Var,
    pub(crate) end: Var,
}

/// A line of cells. A loop along columns computes several lines at once.
#[derive(Default)]
pub(crate) struct Line {
    /// The values of the variables that distinguish lines.
    pub(crate) renaming: BTreeMap<Var, Expr>,
    /// The subscripts of its cells in the arrays of kept variables, without the column.
    pub(crate) place: Vec<Expr>,
}

/// The body of a loop along columns, and its variable.
pub(crate) struct AlongColumns {
    pub(crate) column: Var,
    pub(crate) body: Vec<Stmt>,
}

/// The statements that compute a cell.
struct Cell {
    /// Loads of the kept variables.
    loads: Vec<Stmt>,
    /// The segment.
    steps: Vec<Stmt>,
    /// Stores of the kept variables.
    stores: Vec<Stmt>,
}

impl Tile<'_> {
    /// A segment for one column, repeated for each line and each step, with renamed variables.
    pub(crate) fn along(
        &self,
        proc: &mut Proc,
        segment: &Segment,
        lines: &[Line],
        steps: Option<&[Expr]>,
    ) -> AlongColumns {
        let column = proc.var(Scalar::I64, proc.vars[self.columns.column].name.clone());
        let cells = lines.iter().flat_map(|line| {
            let Cell { loads, steps, stores } = self.cell(proc, segment, line, steps, column.into());
            [loads, steps, stores].into_iter().flatten()
        });
        let body = cells.collect();
        AlongColumns { column, body }
    }

    /// A segment with its inner loop, for one column of each piece of the tile and for each line.
    /// The pieces begin this many columns apart. The kept variables of these cells stay in
    /// registers for all steps. `steps` is the inner loop; `step` numbers the step within an
    /// iteration of it.
    pub(crate) fn along_in_registers(
        &self,
        proc: &mut Proc,
        segment: &Segment,
        lines: &[Line],
        pieces: &[Expr],
        (steps, step): (LoopData, Expr),
    ) -> AlongColumns {
        let column = proc.var(Scalar::I64, proc.vars[self.columns.column].name.clone());
        let (mut body, mut inside, mut stores) = (Vec::new(), Vec::new(), Vec::new());
        for line in lines {
            for piece in pieces {
                let at = Expr::Var(column) + piece.clone();
                let cell = self.cell(proc, segment, line, Some(std::slice::from_ref(&step)), at);
                body.extend(cell.loads);
                inside.extend(cell.steps);
                stores.extend(cell.stores);
            }
        }
        body.push(in_order(proc, steps, inside));
        body.extend(stores);
        AlongColumns { column, body }
    }

    fn cell(&self, proc: &mut Proc, segment: &Segment, line: &Line, steps: Option<&[Expr]>, column: Expr) -> Cell {
        let mut renaming = line.renaming.clone();
        let mut place = line.place.clone();
        place.push(column.clone() - Expr::Var(self.first));
        renaming.insert(self.columns.column, column);
        let (mut loads, mut body, mut stores) = (Vec::new(), Vec::new(), Vec::new());
        for (&var, mention) in &segment.mentions {
            let kept = self.kept.get(&var);
            if !mention.assigned && kept.is_none() {
                continue;
            }
            let own = proc.var_like(var);
            renaming.insert(var, Expr::Var(own));
            let Some(&array) = kept else { continue };
            if mention.enters {
                loads.push(Stmt::Assign { var: own, value: Expr::Load { array, index: place.clone() } });
            }
            if mention.assigned {
                stores.push(Stmt::Store { array, index: place.clone(), value: Expr::Var(own) });
            }
        }
        match (&segment.steps, steps) {
            (Some((_, var)), Some(steps)) => {
                for (at, step) in steps.iter().enumerate() {
                    // Values that one step leaves to no other get new names in the next.
                    for (&var, mention) in segment.mentions.iter().filter(|_| at > 0) {
                        if mention.assigned && !mention.enters && !self.kept.contains_key(&var) {
                            let own = proc.var_like(var);
                            renaming.insert(var, Expr::Var(own));
                        }
                    }
                    renaming.insert(*var, step.clone());
                    body.extend(segment.body.iter().map(|stmt| stmt.renamed(&renaming)));
                }
            }
            (None, _) | (Some(_), None) => body.extend(segment.body.iter().map(|stmt| stmt.renamed(&renaming))),
        }
        Cell { loads, steps: body, stores }
    }

    /// The loop along the columns of the tile.
    pub(crate) fn column_loop(&self, proc: &mut Proc, along: AlongColumns) -> Stmt {
        self.some_columns(proc, along, self.first.into(), self.end.into(), false)
    }

    /// The loop along some columns of the tile. With `simd`, vectors run it and the loops in it.
    pub(crate) fn some_columns(
        &self,
        proc: &mut Proc,
        AlongColumns { column, body }: AlongColumns,
        lower: Expr,
        upper: Expr,
        simd: bool,
    ) -> Stmt {
        proc.add_loop(LoopData {
            var: Some(column),
            lower,
            upper,
            step: 1,
            kind: LoopKind::independent(simd),
            body,
            span: self.columns.header.span,
        })
    }
}

/// A sequential loop with this body.
pub(crate) fn in_order(proc: &mut Proc, header: LoopData, body: Vec<Stmt>) -> Stmt {
    proc.add_loop(LoopData { kind: LoopKind::Sequential, body, ..header })
}

/// The largest `first + n * count` that is at most `end`, and at least `first`.
pub(crate) fn multiple(first: Expr, end: Expr, count: i64) -> Expr {
    if count == 1 {
        return end;
    }
    let distance = Expr::binary(BinOp::MAX, end - first.clone(), Expr::i64(0));
    first + Expr::binary(BinOp::DIV, distance, Expr::i64(count)) * Expr::i64(count)
}
