//! Loop nests as a static control part: the sets and relations of a [`Shape`].
//!
//! This module decides nothing. [`shape`](super::shape) finds the statements,
//! [`pipeline`](super::pipeline) plans.

use super::linear::{Atom, Linear};
use super::refusal::Refusal;
use super::shape::{Bounds, Group, Place, Shape};
use frit_ir::nest::{Array, Expr, LoopKind, Proc};
use frit_ir::scalar::{BinOp, Scalar};
use frit_isl::{Context, Map, PwAff, Set};
use frit_scop::model::{Home, ParamData, Reduction};
use frit_scop::{Access, AccessKind, ArrayData, LoopData, Param, Scop, Statement, StatementData};
use frit_support::{Span, Table};
use std::collections::BTreeSet;

/// Loop nests as a static control part, and what its names mean in the procedure.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) scop: Scop,
    pub(super) shape: Shape,
    /// For each array of the region, the array or scalar that it stands for.
    pub(super) places: Table<frit_scop::Array, Place>,
}

/// The region of these nests. All their values are needed later, except those of `temporaries`.
/// `facts` hold there.
pub(super) fn region(
    isl: &Context,
    proc: &Proc,
    shape: Shape,
    temporaries: &BTreeSet<Array>,
    facts: &[Expr],
) -> Result<Region, Refusal> {
    let params = format!("[{}]", shape.param_names().join(", "));
    let mut places: Table<frit_scop::Array, Place> = Table::new();
    for (_, group) in shape.groups.iter() {
        for touch in &group.touches {
            if !places.iter().any(|(_, place)| *place == touch.place) {
                places.push(touch.place);
            }
        }
    }
    let mut arrays = Table::new();
    for (array, place) in places.iter() {
        arrays.push(array_data(isl, proc, &shape, &params, array, *place, temporaries)?);
    }
    let loops: Table<frit_scop::Loop, LoopData> = shape
        .loops
        .iter()
        .map(|(_, l)| LoopData { name: l.to_string(), is_reversed: false, span: proc.loops[*l].span })
        .collect();
    let mut statements = Table::new();
    for (statement, group) in shape.groups.iter() {
        statements.push(statement_data(isl, proc, &shape, &params, &places, statement, group)?);
    }
    let scop = Scop {
        isl: isl.clone(),
        params: shape.params.iter().map(|(_, param)| ParamData { name: param.to_string() }).collect(),
        assumed: Set::parse(isl, &format!("{params} -> {{ : {} }}", assumed(&shape, facts)))?,
        arrays,
        loops,
        statements,
        body: shape.body.clone(),
    };
    Ok(Region { scop, shape, places })
}

fn array_data(
    isl: &Context,
    proc: &Proc,
    shape: &Shape,
    params: &str,
    array: frit_scop::Array,
    place: Place,
    temporaries: &BTreeSet<Array>,
) -> Result<ArrayData, Refusal> {
    let scalar = |scalar: Scalar| scalar.bytes().max(1) as u64;
    Ok(match place {
        Place::Scalar(var) => ArrayData {
            name: proc.vars[var].name.as_ref().map_or_else(|| var.to_string(), |name| name.to_string()),
            elem_bytes: scalar(proc.vars[var].scalar),
            extents: Vec::new(),
            is_live_in: false,
            is_live_out: false,
            home: Home::Region,
            origin: array,
            expanded: 0,
            span: Span::NONE,
        },
        Place::Array(of) => {
            let data = &proc.arrays[of];
            let mut extents = Vec::new();
            for extent in &data.extents {
                let linear = known(shape, extent);
                let text = linear.map(|linear| format!("{params} -> {{ [{}] }}", linear.text()));
                extents.push(text.map(|text| PwAff::parse(isl, &text)).transpose()?);
            }
            let is_temporary = temporaries.contains(&of);
            ArrayData {
                name: data.name.as_ref().map_or_else(|| of.to_string(), |name| name.to_string()),
                elem_bytes: scalar(data.elem),
                extents,
                is_live_in: !is_temporary,
                is_live_out: !is_temporary,
                home: if is_temporary { Home::Region } else { Home::Outside },
                origin: array,
                expanded: 0,
                span: data.span,
            }
        }
    })
}

/// An expression in the parameters of the region, if it is affine in them.
fn known(shape: &Shape, expr: &Expr) -> Option<Linear> {
    if let Some((param, _)) = shape.params.iter().find(|(_, param)| *param == expr) {
        return Some(Linear::atom(Atom::Param(param)));
    }
    match expr {
        Expr::Const(_) => expr.as_i64().filter(|value| value.unsigned_abs() < 1 << 31).map(Linear::constant),
        Expr::Var(var) => known(shape, shape.defs.get(var)?),
        Expr::Binary { op: BinOp::ADD, x, y } => known(shape, x)?.plus(&known(shape, y)?, 1),
        Expr::Binary { op: BinOp::SUB, x, y } => known(shape, x)?.plus(&known(shape, y)?, -1),
        Expr::Binary { op: BinOp::MUL, x, y } => {
            let (x, y) = (known(shape, x)?, known(shape, y)?);
            match (x.as_constant(), y.as_constant()) {
                (Some(factor), _) => Linear::default().plus(&y, factor),
                (_, Some(factor)) => Linear::default().plus(&x, factor),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The facts about parameters of the region, in isl's notation.
fn assumed(shape: &Shape, facts: &[Expr]) -> String {
    let mut found = Vec::new();
    for fact in facts {
        constraints(shape, fact, &mut found);
    }
    for (param, expr) in shape.params.iter() {
        if let Expr::Var(var) = expr
            && let Some(def) = shape.defs.get(var)
        {
            bounds_of(shape, param, def, &mut found);
        }
        bounds_of(shape, param, expr, &mut found);
    }
    if found.is_empty() { "true".into() } else { found.join(" and ") }
}

/// What a maximum or minimum says about its value.
fn bounds_of(shape: &Shape, param: Param, def: &Expr, found: &mut Vec<String>) {
    if let Expr::Binary { op: op @ BinOp::MinMax(_), x, y } = def {
        let sign = if *op == BinOp::MAX { ">=" } else { "<=" };
        for operand in [x, y] {
            if let Some(linear) = known(shape, operand) {
                found.push(format!("{param} {sign} {}", linear.text()));
            }
        }
    }
}

fn constraints(shape: &Shape, fact: &Expr, found: &mut Vec<String>) {
    let Expr::Binary { op, x, y } = fact else { return };
    if *op == BinOp::AND {
        constraints(shape, x, found);
        constraints(shape, y, found);
        return;
    }
    if *op == BinOp::IN_BOUNDS {
        found.extend(known(shape, x).map(|x| format!("{} >= 0", x.text())));
    }
    let sign = match *op {
        BinOp::IN_BOUNDS => "<",
        BinOp::LE => "<=",
        BinOp::LT => "<",
        BinOp::EQ => "=",
        _ => return,
    };
    if let (Some(x), Some(y)) = (known(shape, x), known(shape, y)) {
        found.push(format!("{} {sign} {}", x.text(), y.text()));
    }
}

fn statement_data(
    isl: &Context,
    proc: &Proc,
    shape: &Shape,
    params: &str,
    places: &Table<frit_scop::Array, Place>,
    statement: Statement,
    group: &Group,
) -> Result<StatementData, Refusal> {
    let names: Vec<String> = (0..group.loops.len()).map(|depth| format!("i{depth}")).collect();
    let tuple = format!("{statement}[{}]", names.join(", "));
    let mut conditions = Vec::new();
    for (name, bounds) in names.iter().zip(&group.bounds) {
        conditions.extend(conditions_of(name, bounds));
    }
    let domain = format!("{params} -> {{ {tuple} : {} }}", conditions.join(" and "));
    let mut accesses = Vec::new();
    for touch in &group.touches {
        let (array, _) = places.iter().find(|(_, place)| **place == touch.place).expect("all places have numbers");
        let subscripts = match (&touch.subscripts, touch.place) {
            (Some(subscripts), _) => subscripts.iter().map(Linear::text).collect(),
            (None, Place::Array(of)) => (0..proc.arrays[of].extents.len()).map(|dim| format!("x{dim}")).collect(),
            (None, Place::Scalar(_)) => Vec::new(),
        };
        let kind = match touch.kind {
            AccessKind::Write if touch.subscripts.is_none() => AccessKind::MayWrite,
            kind => kind,
        };
        let relation = format!("{params} -> {{ {tuple} -> {array}[{}] }}", subscripts.join(", "));
        let relation = Map::parse(isl, &relation)?;
        accesses.push(Access { array, kind, relation, is_exact: touch.subscripts.is_some() });
    }
    let innermost = group.loops.last().map(|l| &proc.loops[shape.loops[*l]]);
    Ok(StatementData {
        loops: group.loops.clone(),
        domain: Set::parse(isl, &domain)?,
        accesses,
        reduction: None::<Reduction>,
        opaque: None,
        work: group.stmts.len() as u64,
        span: innermost.map_or(Span::NONE, |innermost| innermost.span),
    })
}

fn conditions_of(name: &str, bounds: &Bounds) -> Vec<String> {
    let mut conditions: Vec<String> = bounds.lower.iter().map(|lower| format!("{name} >= {}", lower.text())).collect();
    conditions.extend(bounds.upper.iter().map(|upper| format!("{name} < {}", upper.text())));
    if let (true, [lower]) = (bounds.step != 1, &bounds.lower[..]) {
        conditions.push(format!("exists (e : {name} = {} + {} e)", lower.text(), bounds.step));
    }
    conditions
}

impl Region {
    /// The array of the procedure that an array of the region stands for.
    pub(super) fn array(&self, array: frit_scop::Array) -> Option<Array> {
        match self.places[array] {
            Place::Array(of) => Some(of),
            Place::Scalar(_) => None,
        }
    }

    /// The nest that a statement belongs to.
    pub(super) fn nest(&self, statement: Statement) -> usize {
        self.shape.groups[statement].nest
    }
}

/// Whether iterations of the loop are independent, and may run in vectors.
pub(super) fn is_simd(proc: &Proc, l: frit_ir::nest::Loop) -> bool {
    matches!(proc.loops[l].kind, LoopKind::Independent { simd: true, .. })
}
