//! Which variables a branch or loop assigns, and which of them anyone looks at afterwards: only these are joined and carried.

use crate::sac::core::walk::for_each_part;
use crate::sac::core::{
    Axis, Count, Expr, ExprKind, Function, FunctionId, Local, Operation, Pattern, Stmt, StmtKind, With,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// What a branch or loop does to variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    /// The variables it assigns.
    pub(super) assigned: Vec<Local>,
    /// Those of them whose values are used: behind a branch, or at the head of a loop and behind it.
    pub(super) live: Vec<Local>,
}

/// The flows of the functions asked for so far, by the places of their statements.
#[derive(Debug, Default)]
pub(super) struct Liveness {
    flows: HashMap<*const Stmt, Rc<Flow>>,
    known: HashSet<FunctionId>,
}

impl Liveness {
    /// What a branch or loop does; its function has been analysed.
    pub(super) fn flow(&self, stmt: &Stmt) -> Rc<Flow> {
        self.flows.get(&std::ptr::from_ref(stmt)).cloned().unwrap_or_default()
    }

    /// Analyses a function, once.
    pub(super) fn analyse(&mut self, id: FunctionId, function: &Function) {
        if !self.known.insert(id) {
            return;
        }
        let mut analysis = Analysis { flows: &mut self.flows, loops: HashMap::new() };
        let mut live = Live::default();
        for pattern in &function.results {
            pattern_locals(pattern, &mut live);
        }
        function.ensures.iter().for_each(|e| analysis.expr(e, &mut live, true));
        function.returns.iter().for_each(|e| analysis.expr(e, &mut live, true));
        analysis.stmts(&function.body, &mut live, true);
        function.requires.iter().for_each(|e| analysis.expr(e, &mut live, true));
    }
}

/// The variables whose values are used later.
type Live = BTreeSet<Local>;

/// What a loop needs whatever comes after it, and what it assigns.
struct Loop {
    needs: Live,
    assigned: Vec<Local>,
}

struct Analysis<'a> {
    flows: &'a mut HashMap<*const Stmt, Rc<Flow>>,
    /// Loops seen already.
    loops: HashMap<*const Stmt, Rc<Loop>>,
}

impl Analysis<'_> {
    /// Turns what is live after the statements into what is live before them. `records` the flows on the way.
    fn stmts(&mut self, stmts: &[Stmt], live: &mut Live, records: bool) {
        stmts.iter().rev().for_each(|stmt| self.stmt(stmt, live, records));
    }

    fn stmt(&mut self, stmt: &Stmt, live: &mut Live, records: bool) {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => {
                for target in targets.iter().flatten() {
                    live.remove(target);
                }
                self.expr(value, live, records);
            }
            StmtKind::If { cond, then, otherwise } => {
                if records {
                    let mut assigned = BTreeSet::new();
                    assigned_by(then, &mut assigned);
                    assigned_by(otherwise, &mut assigned);
                    let used = assigned.iter().copied().filter(|local| live.contains(local)).collect();
                    let flow = Flow { assigned: assigned.into_iter().collect(), live: used };
                    self.flows.insert(std::ptr::from_ref(stmt), Rc::new(flow));
                }
                let mut other = live.clone();
                self.stmts(then, live, records);
                self.stmts(otherwise, &mut other, records);
                live.append(&mut other);
                self.expr(cond, live, records);
            }
            StmtKind::Loop { cond, body, step, .. } => {
                let summary = self.summary(stmt, cond, body, step);
                live.extend(&summary.needs);
                if records {
                    let used = summary.assigned.iter().copied().filter(|local| live.contains(local)).collect();
                    let flow = Flow { assigned: summary.assigned.clone(), live: used };
                    self.flows.insert(std::ptr::from_ref(stmt), Rc::new(flow));
                    // What is live at the head is live at the end of the body; the flows inside need that.
                    let mut inside = live.clone();
                    self.expr(cond, &mut inside, true);
                    self.stmts(step, &mut inside, true);
                    self.stmts(body, &mut inside, true);
                }
            }
            StmtKind::Replace { value, .. } => self.expr(value, live, records),
            StmtKind::Output { stream, args, .. } => {
                stream.iter().chain(args).for_each(|e| self.expr(e, live, records))
            }
        }
    }

    fn summary(&mut self, stmt: &Stmt, cond: &Expr, body: &[Stmt], step: &[Stmt]) -> Rc<Loop> {
        if let Some(known) = self.loops.get(&std::ptr::from_ref(stmt)) {
            return known.clone();
        }
        let mut needs = Live::new();
        self.expr(cond, &mut needs, false);
        let mut before_body = needs.clone();
        self.stmts(step, &mut before_body, false);
        self.stmts(body, &mut before_body, false);
        needs.append(&mut before_body);
        let mut assigned = BTreeSet::new();
        assigned_by(body, &mut assigned);
        assigned_by(step, &mut assigned);
        let summary = Rc::new(Loop { needs, assigned: assigned.into_iter().collect() });
        self.loops.insert(std::ptr::from_ref(stmt), summary.clone());
        summary
    }

    fn expr(&mut self, expr: &Expr, live: &mut Live, records: bool) {
        if let ExprKind::Local(local) = &expr.kind {
            live.insert(*local);
        }
        match &expr.kind {
            ExprKind::With(with) => self.with(with, live, records),
            ExprKind::Ascribe { pattern, value } => {
                pattern_locals(pattern, live);
                self.expr(value, live, records);
            }
            _ => for_each_part(expr, &mut |part| self.expr(part, live, records)),
        }
    }

    fn with(&mut self, with: &With, live: &mut Live, records: bool) {
        for generator in &with.generators {
            let bounds = [&generator.lower, &generator.upper, &generator.step, &generator.width];
            bounds.into_iter().flatten().for_each(|e| self.expr(e, live, records));
            let mut inside = Live::new();
            for operation in &with.operations {
                if let Operation::Propagate { inner, .. } = operation {
                    inside.insert(*inner);
                }
            }
            generator.cells.iter().for_each(|e| self.expr(e, &mut inside, records));
            self.stmts(&generator.body, &mut inside, records);
            live.append(&mut inside);
        }
        for operation in &with.operations {
            match operation {
                Operation::Genarray { shape, default, .. } => {
                    self.expr(shape, live, records);
                    default.iter().for_each(|e| self.expr(e, live, records));
                }
                Operation::Modarray { source } => self.expr(source, live, records),
                Operation::Fold { args, neutral, stop, .. } => {
                    args.iter().chain([neutral]).chain(stop).for_each(|e| self.expr(e, live, records));
                }
                Operation::Propagate { state, .. } => {
                    live.insert(*state);
                }
            }
        }
    }
}

/// Adds the variables that statements assign.
pub(super) fn assigned_by(stmts: &[Stmt], assigned: &mut BTreeSet<Local>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Assign { targets, .. } => assigned.extend(targets.iter().flatten()),
            StmtKind::If { then, otherwise, .. } => {
                assigned_by(then, assigned);
                assigned_by(otherwise, assigned);
            }
            StmtKind::Loop { body, step, .. } => {
                assigned_by(body, assigned);
                assigned_by(step, assigned);
            }
            StmtKind::Replace { .. } | StmtKind::Output { .. } => {}
        }
    }
}

fn pattern_locals(pattern: &Pattern, live: &mut Live) {
    for axis in &pattern.axes {
        match axis {
            Axis::Extent(_) | Axis::Any | Axis::Rest { .. } => {}
            Axis::Bind(local) => {
                live.insert(*local);
            }
            Axis::Axes { count, shape, .. } => {
                if let Count::Bind(local) = count {
                    live.insert(*local);
                }
                live.extend(*shape);
            }
        }
    }
}
