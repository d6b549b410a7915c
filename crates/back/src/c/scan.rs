//! Scans for vectors, in blocks that stay in the first-level cache:
//!
//! ```text
//! for i { v = A[i]; s = s + v; B[i] = g(s) }
//!     becomes   for each block {
//!                 for i in vectors { v = A[i]; t[i] = v }
//!                 s = frit_scan_add_f64(t, t, its length, s)
//!                 for i in vectors { B[i] = g(t[i]) }
//!               }
//! ```
//!
//! Where iterations are few, they run in order. The scan in the middle keeps eight elements in
//! vectors, see `Note [Scans in vectors]`. If storing the results is all that the loop does, the
//! scan stores to `B` itself.
//!
//! `lower` gives scans the two phases. This module chooses none of the loops.

use super::arith::Helper;
use super::layout::{Block, BlockId, Item};
use super::proc::ProcPrinter;
use super::types::{c_type, element_type, literal};
use frit_ir::nest::{Expr, LoopData, LoopKind, Reduction, Var};
use frit_ir::{BinOp, Scalar};
use std::collections::BTreeMap;

/// Elements of a block.
const BLOCK: i64 = 128;
/// Fewer elements are scanned one by one.
const LEAST: i64 = 32;

/// The block of the current statement, and the arrays that keep what is accumulated.
pub(super) struct ScanBlock {
    var: String,
    begin: String,
    kept: BTreeMap<Var, String>,
}

impl<'p> ProcPrinter<'_, 'p> {
    /// A scan whose body is in two phases.
    pub(super) fn simd_scan(&mut self, data: &'p LoopData, body: &Block<'p>, reductions: &[Reduction]) {
        // Non-temporal stores run in blocks already.
        if matches!(data.kind, LoopKind::Scan { streaming: true, .. }) {
            return self.scan_in_blocks(data, body, reductions);
        }
        let count = data.upper.clone() - data.lower.clone();
        let is_short = self.expr_text(&Expr::binary(BinOp::LT, count, Expr::i64(LEAST)));
        self.open(&format!("if ({is_short}) {{"));
        // The body is printed twice with all declarations. It is straight-line code, so these are
        // variables.
        let mut variables = Vec::new();
        self.proc.for_each_stmt(&data.body, &mut |stmt| {
            stmt.for_each_assigned(&mut |var| variables.push((var, self.layout.vars[var].begins_in)));
        });
        let mut heads = Vec::new();
        each_block_inside(body, &mut |id| heads.push((id, self.heads[id].clone())));
        self.sequential_loop(data, body);
        variables.into_iter().for_each(|(var, begins_in)| self.layout.vars[var].begins_in = begins_in);
        heads.into_iter().for_each(|(id, head)| self.heads[id] = head);
        self.close("} else {");
        self.indent += 1;
        self.scan_in_blocks(data, body, reductions);
        self.close("}");
    }

    fn scan_in_blocks(&mut self, data: &'p LoopData, body: &Block<'p>, reductions: &[Reduction]) {
        let clauses = self.private_clause(data, body, reductions);
        let var = match data.var {
            Some(var) => self.var_name(var),
            None => self.fresh("round"),
        };
        let (lower, upper) = (self.expr_text(&data.lower), self.bound(&data.upper));
        let [begin, end] = ["block", "block_end"].map(|name| self.fresh(name));
        let comment = self.comment(data.span);
        self.open(&format!("for (int64_t {begin} = {lower}; {begin} < {upper}; {begin} += {BLOCK}) {{{comment}"));
        self.line(&format!("const int64_t {end} = {upper} - {begin} < {BLOCK} ? {upper} : {begin} + {BLOCK};"));
        let mut kept = BTreeMap::new();
        for reduction in reductions {
            let name = self.fresh("accumulated");
            self.line(&format!("FRIT_ALIGNED {} {name}[{BLOCK}];", element_type(self.scalar(*reduction))));
            kept.insert(reduction.var, name);
        }
        let header = format!("for (int64_t {var} = {begin}; {var} < {end}; {var}++) {{");
        let (first, second) = body.items.split_at(data.phases().0.len());
        let outer = std::mem::replace(&mut self.block, body.id);
        self.enter_body(true);

        self.line(&format!("#pragma omp simd{clauses}"));
        self.open(&header);
        self.scan_block = Some(ScanBlock { var: var.clone(), begin: begin.clone(), kept });
        self.items(first);
        self.close("}");
        let ScanBlock { kept, .. } = self.scan_block.take().expect("the first phase holds no other scan");

        let stored = data.stored_accumulators();
        let streaming = matches!(data.kind, LoopKind::Scan { streaming: true, .. });
        for &reduction in reductions {
            let place = stored.as_ref().and_then(|places| places.get(&reduction.var).copied());
            let helper = Helper::Scan {
                op: reduction.op,
                scalar: self.scalar(reduction),
                streaming: streaming && place.is_some(),
            };
            self.module.helpers.insert(helper);
            let (name, from) = (self.var_name(reduction.var), &kept[&reduction.var]);
            let call = |to: &str| format!("{name} = {}({to}, {from}, {end} - {begin}, {name});", helper.name());
            match place {
                Some((array, index)) => {
                    // The loop variable stands at the beginning of the block.
                    self.open("{");
                    self.line(&format!("const int64_t {var} = {begin};"));
                    let (element, _) = self.element(array, index);
                    self.line(&call(&format!("&{element}")));
                    self.close("}");
                }
                None => self.line(&call(from)),
            }
        }
        if stored.is_none() {
            self.line(&format!("#pragma omp simd{clauses}"));
            self.open(&header);
            for reduction in reductions {
                let (t, name) = (self.var_type(reduction.var), self.var_name(reduction.var));
                self.line(&format!("const {t} {name} = {}[{var} - {begin}];", kept[&reduction.var]));
            }
            self.items(second);
            self.close("}");
        }

        self.is_in_simd = false;
        self.block = outer;
        self.close("}");
    }

    /// In the first phase of a scan, keeps what is accumulated for the block. Returns true if the
    /// statement is an accumulation.
    pub(super) fn keep_for_scan(&mut self, var: Var, value: &Expr) -> bool {
        let Some((to, Expr::Binary { op: _, x, y })) =
            self.scan_block.as_ref().and_then(|block| Some((block.place(var)?, value)))
        else {
            return false;
        };
        let cell = if **x == Expr::Var(var) { y } else { x };
        let cell = self.expr_text(cell);
        self.line(&format!("{to} = {cell};"));
        true
    }

    fn scalar(&self, reduction: Reduction) -> Scalar {
        self.proc.vars[reduction.var].scalar
    }
}

fn each_block_inside(block: &Block<'_>, f: &mut impl FnMut(BlockId)) {
    for item in &block.items {
        let inside = match item {
            Item::Run(run) => std::slice::from_ref(run),
            Item::Stmt { blocks, .. } => blocks,
        };
        for inner in inside {
            f(inner.id);
            each_block_inside(inner, f);
        }
    }
}

impl ScanBlock {
    fn place(&self, var: Var) -> Option<String> {
        Some(format!("{}[{} - {}]", self.kept.get(&var)?, self.var, self.begin))
    }
}

/// The function that scans `count` elements from `from` to `to`, which may be the same place. It
/// continues from the accumulated value and returns the new one. `streaming` asks for non-temporal
/// stores.
pub(super) fn scan_function(name: &str, op: BinOp, scalar: Scalar, streaming: bool) -> String {
    let (t, bits) = (element_type(scalar), 8 * scalar.bytes());
    let unit = literal(op.unit(scalar)).text;
    let (vectors, single) = combinations(op);
    let (beginning, stores) = if streaming { (FIRST_OF_LINE, STREAMING_STORES) } else { ("", STORES) };
    SCAN.replace("BEGINNING", beginning)
        .replace("STORES", stores)
        .replace("NAME", name)
        .replace("TYPE", t)
        .replace("PLACE", &format!("int{bits}_t"))
        .replace("UNIT", &unit)
        .replace("VECTORS", vectors)
        .replace("SINGLE", &format!("({})({single})", c_type(scalar)))
}

/// How `x` and `y` are combined, in vectors and alone.
fn combinations(op: BinOp) -> (&'static str, &'static str) {
    match op {
        BinOp::ADD => ("x + y", "x + y"),
        BinOp::MUL => ("x * y", "x * y"),
        BinOp::AND => ("x & y", "x & y"),
        BinOp::OR => ("x | y", "x | y"),
        BinOp::XOR => ("x ^ y", "x ^ y"),
        BinOp::MIN => ("(lanes)(((places)x & (x < y)) | ((places)y & ~(x < y)))", "x < y ? x : y"),
        BinOp::MAX => ("(lanes)(((places)x & (y < x)) | ((places)y & ~(y < x)))", "y < x ? x : y"),
        _ => panic!("{} accumulates nothing", op.name()),
    }
}

const SCAN: &str = "\
static inline TYPE NAME(TYPE *to, const TYPE *from, int64_t count, TYPE accumulated)
{
    int64_t at = 0;
#define STEP do { const TYPE x = accumulated, y = from[at]; to[at] = accumulated = SINGLE; } while (0)
#ifdef FRIT_SHUFFLE
    typedef TYPE lanes __attribute__((vector_size(4 * sizeof(TYPE))));
    typedef PLACE places __attribute__((vector_size(4 * sizeof(TYPE)), unused));
#define COMBINE(z, left, right) do { const lanes x = left, y = right; z = VECTORS; } while (0)
    const lanes unit = {UNIT, UNIT, UNIT, UNIT};
BEGINNING    for (; at + 8 <= count; at += 8) {
        lanes low, high;
        memcpy(&low, from + at, sizeof low);
        memcpy(&high, from + at + 4, sizeof high);
        COMBINE(low, FRIT_SHUFFLE(places, unit, low, 0, 4, 5, 6), low);
        COMBINE(high, FRIT_SHUFFLE(places, unit, high, 0, 4, 5, 6), high);
        COMBINE(low, FRIT_SHUFFLE(places, unit, low, 0, 1, 4, 5), low);
        COMBINE(high, FRIT_SHUFFLE(places, unit, high, 0, 1, 4, 5), high);
        COMBINE(high, FRIT_SHUFFLE(places, low, low, 3, 3, 3, 3), high);
        const TYPE last = high[3];
        const lanes before = {accumulated, accumulated, accumulated, accumulated};
        COMBINE(low, before, low);
        COMBINE(high, before, high);
STORES        const TYPE x = accumulated, y = last;
        accumulated = SINGLE;
    }
#undef COMBINE
#endif
    for (; at < count; at++) STEP;
#undef STEP
    return accumulated;
}
";

const STORES: &str = "    \
    memcpy(to + at, &low, sizeof low);
        memcpy(to + at + 4, &high, sizeof high);
";

/// Non-temporal stores write whole lines: eight elements.
const FIRST_OF_LINE: &str = "    for (; at < count && (uintptr_t)(to + at) % sizeof(TYPE[8]) != 0; at++) STEP;\n";
const STREAMING_STORES: &str = "    \
    TYPE line[8];
        memcpy(line, &low, sizeof low);
        memcpy(line + 4, &high, sizeof high);
        size_t done = 0;
#ifdef FRIT_PIECE
        for (; done + FRIT_PIECE <= sizeof line; done += FRIT_PIECE) {
            frit_piece piece;
            memcpy(&piece, (char *)line + done, sizeof piece);
            FRIT_STREAM((frit_piece *)((char *)(to + at) + done), piece);
        }
#endif
        memcpy((char *)(to + at) + done, (char *)line + done, sizeof line - done);
";

// Note [Scans in vectors]
//
// After the steps with shifted lanes, each lane holds the accumulation from the first lane of its
// vector up to itself. Four lanes take two steps (Hillis and Steele, "Data parallel algorithms",
// 1986). Eight elements wait for earlier ones by a single operation on a single number,
// `accumulated`. All other work runs ahead of it. OpenMP's `scan` directive, as gcc compiles it,
// waits for a shuffle and an operation for each vector instead.
