//! Transposing copies, in squares that are turned in registers:
//!
//! ```text
//! for i { for j for vectors { T[i, j] = A[j, i] } }
//!     becomes   frit_transpose_f64(T, its width, A, its width, rows, columns)
//! ```
//!
//! Vectors of either loop alone would gather or scatter single elements. `lower` tiles such nests;
//! this module decides nothing.

use super::arith::Helper;
use super::expr::Term;
use super::proc::ProcPrinter;
use super::types::element_type;
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Stmt, Var};
use frit_ir::{BinOp, Scalar};

/// A loop over the elements of a line, and the lines around it, whose body copies one element.
pub(super) struct Transposing<'p> {
    loops: [Loop; 2],
    to: Place<'p>,
    from: Place<'p>,
}

/// The elements of an array that a copy goes through, line after line.
struct Place<'p> {
    array: Array,
    index: &'p [Expr],
    /// The axis along which the lines are.
    across: usize,
}

impl<'p> Place<'p> {
    /// The element with one variable along the lines, which are contiguous, and another variable
    /// across them.
    fn of(array: Array, index: &'p [Expr], along: Var, across: Var) -> Option<Self> {
        let mentions = |index: &Expr, var: Var| index.variables().contains(&var);
        let (last, others) = index.split_last()?;
        let axis = others.iter().position(|index| mentions(index, across))?;
        let is_apart =
            |(at, index): (usize, &Expr)| !mentions(index, along) && (at == axis || !mentions(index, across));
        let is_line = last.is_shifted(along) && others[axis].is_shifted(across) && !mentions(last, across);
        (is_line && others.iter().enumerate().all(is_apart)).then_some(Self { array, index, across: axis })
    }
}

impl<'p> ProcPrinter<'_, 'p> {
    /// The copy, if the nest does nothing but transpose.
    pub(super) fn transposing(&self, outer: Loop) -> Option<Transposing<'p>> {
        let proc = self.proc;
        let is_plain = |l: Loop| {
            let data = &proc.loops[l];
            match &data.kind {
                LoopKind::Sequential => data.step == 1,
                LoopKind::Independent { parallel, reductions, simd: _ } => {
                    data.step == 1 && parallel.is_none() && reductions.is_empty()
                }
                LoopKind::Scan { .. } => false,
            }
        };
        let [Stmt::For(inner)] = &proc.loops[outer].body[..] else { return None };
        let [Stmt::Store { array, index, value: Expr::Load { array: source, index: read } }] =
            &proc.loops[*inner].body[..]
        else {
            return None;
        };
        let (row, column) = (proc.loops[outer].var?, proc.loops[*inner].var?);
        let bounds = |l: Loop| [&proc.loops[l].lower, &proc.loops[l].upper];
        let is_rectangle = bounds(*inner).iter().all(|bound| !bound.variables().contains(&row));
        // They are asked for also where a loop has no iteration.
        let mut asked = index.iter().chain(read).chain(bounds(*inner));
        if !is_plain(outer)
            || !is_plain(*inner)
            || !is_rectangle
            || !asked.all(|expr| self.is_total(expr, &mut false))
            || !proc.transposes_in_registers(*array, *source)
            || [row, column].iter().any(|var| self.layout.vars[*var].in_frame)
        {
            return None;
        }
        let transposed = |along: Var, across: Var| {
            Some((Place::of(*array, index, along, across)?, Place::of(*source, read, across, along)?))
        };
        if let Some((to, from)) = transposed(column, row) {
            return Some(Transposing { loops: [outer, *inner], to, from });
        }
        let (to, from) = transposed(row, column)?;
        Some(Transposing { loops: [*inner, outer], to, from })
    }

    /// Calls the function that transposes.
    pub(super) fn transpose(&mut self, transposing: &Transposing<'p>) {
        let proc = self.proc;
        let [rows, columns] = transposing.loops.map(|l| &proc.loops[l]);
        let helper = Helper::Transpose(proc.arrays[transposing.to.array].elem);
        self.module.helpers.insert(helper);
        self.open("{");
        let [rows, columns] = [rows, columns].map(|data| {
            let count = self.expr_text(&count(data));
            let (var, lower) = (self.var_name(data.var.expect("it has one")), self.expr_text(&data.lower));
            self.line(&format!("const int64_t {var} = {lower};"));
            count
        });
        let [to, from] = [&transposing.to, &transposing.from].map(|place| {
            let (element, _) = self.element(place.array, place.index);
            let between = (place.across + 1..place.index.len())
                .fold(Term::i64(1), |width, axis| width.times(&self.extent(place.array, axis)));
            format!("&{element}, {}", between.code)
        });
        self.line(&format!("{}({to}, {from}, {rows}, {columns});", helper.name()));
        self.close("}");
    }
}

/// The trip count of the loop. Its bounds may be so far apart that their difference wraps if the
/// loop does not run.
fn count(data: &LoopData) -> Expr {
    let (lower, upper) = (data.lower.clone(), data.upper.clone());
    if lower.as_i64() == Some(0) {
        return upper;
    }
    let [cond, on_true, on_false] =
        [Expr::binary(BinOp::LT, lower.clone(), upper.clone()), upper - lower, Expr::i64(0)].map(Box::new);
    Expr::Select { cond, on_true, on_false }
}

/// The function that turns columns into rows, for some rows and columns. `to_row` and `from_row`
/// are the distances of rows in elements.
pub(super) fn transpose_function(name: &str, scalar: Scalar) -> String {
    let lanes = |bytes: usize| (bytes / scalar.bytes()).min(MOST_LANES);
    let kinds = [("#if defined(__AVX512F__)", 64), ("#elif defined(__AVX__)", 32), ("#else", 16)];
    let defined: String = kinds
        .iter()
        .map(|(condition, bytes)| format!("{condition}\n    enum {{ LANES = {} }};\n", lanes(*bytes)))
        .collect();
    let turned: String =
        kinds.iter().map(|(condition, bytes)| format!("{condition}\n{}", turned(lanes(*bytes)))).collect();
    TRANSPOSE
        .replace("NAME", name)
        .replace("TYPE", element_type(scalar))
        .replace("PLACE", &format!("int{}_t", 8 * scalar.bytes()))
        .replace("DEFINED", &defined)
        .replace("TURNED", &turned)
}

/// Statements that transpose a square: as many vectors as lanes, from `source` to `target`. For
/// every two vectors whose numbers differ in one bit, each gives the other the lanes that belong
/// there (Eklundh, "A Fast Computer Method for Matrix Transposing", 1972).
fn turned(lanes: usize) -> String {
    // There are no loops, because the C compiler might keep them and the vectors in memory.
    let mut lines: Vec<String> =
        (0..lanes).map(|k| format!("const lanes v0_{k} = *(const lanes *)(source + {k} * from_row);")).collect();
    let list = |lane: &dyn Fn(usize) -> usize| {
        let lanes: Vec<String> = (0..lanes).map(|at| lane(at).to_string()).collect();
        lanes.join(", ")
    };
    let mut done = 0;
    while 1 << done < lanes {
        let step = 1 << done;
        let low = list(&|at| if at & step == 0 { at } else { lanes + at - step });
        let high = list(&|at| if at & step == 0 { at + step } else { lanes + at });
        for k in (0..lanes).filter(|k| k & step == 0) {
            let (x, y) = (format!("v{done}_{k}"), format!("v{done}_{}", k + step));
            for (k, mask) in [(k, &low), (k + step, &high)] {
                lines.push(format!("const lanes v{}_{k} = FRIT_SHUFFLE(places, {x}, {y}, {mask});", done + 1));
            }
        }
        done += 1;
    }
    lines.extend((0..lanes).map(|k| format!("*(lanes *)(target + {k} * to_row) = v{done}_{k};")));
    lines.iter().map(|line| format!("                    {line}\n")).collect()
}

/// The most vectors that fit in registers, with some of the next square.
const MOST_LANES: usize = 8;

const TRANSPOSE: &str = "\
static inline void NAME(TYPE *restrict to, int64_t to_row, const TYPE *restrict from, int64_t from_row, int64_t rows, int64_t columns)
{
    int64_t row = 0;
#ifdef FRIT_SHUFFLE
DEFINED#endif
    typedef TYPE lanes __attribute__((vector_size(LANES * sizeof(TYPE)), aligned(sizeof(TYPE)), may_alias));
    typedef PLACE places __attribute__((vector_size(LANES * sizeof(TYPE)), unused));
    /* Line by line, so that each is read and written at once. */
    enum { LINE = 64 / sizeof(TYPE) };
    for (; row + LINE <= rows; row += LINE) {
        int64_t column = 0;
        for (; column + LINE <= columns; column += LINE) {
            for (int64_t below = 0; below < LINE; below += LANES) {
                for (int64_t beside = 0; beside < LINE; beside += LANES) {
                    const TYPE *source = from + (column + beside) * from_row + row + below;
                    TYPE *target = to + (row + below) * to_row + column + beside;
TURNED#endif
                }
            }
        }
        for (; column < columns; column++) {
            for (int k = 0; k < LINE; k++) to[(row + k) * to_row + column] = from[column * from_row + row + k];
        }
    }
#endif
    for (; row < rows; row++) {
        for (int64_t column = 0; column < columns; column++) to[row * to_row + column] = from[column * from_row + row];
    }
}
";
