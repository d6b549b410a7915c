//! Which with-loops are exactly one of L0's combinators. Knows no output format; `print` shows what this module finds.

use super::{Block, Extent, Generator, Op, Operand, Operator, OperatorData, Value, WithLoopData};
use frit_support::Table;

/// A with-loop seen as a combinator.
pub(super) struct Combinator {
    /// `mapT`, `reduceT`, `redomapT`, `scanT` or `filterT`.
    pub(super) name: &'static str,
    /// It applies a function to the elements: the generator's block without the statements that define the inputs.
    pub(super) has_function: bool,
    /// How many of the block's results the function yields; the rest are its inputs.
    pub(super) shown_cells: usize,
    /// What it walks over.
    pub(super) inputs: Vec<Input>,
}

/// An array that a combinator walks over.
pub(super) struct Input {
    /// The element in the generator's block.
    pub(super) element: Value,
    /// The array; `None` for the indices themselves.
    pub(super) array: Option<Value>,
}

/// The combinator that the with-loop is; `None` if it is none. `uses` counts the uses of all values.
pub(super) fn recognise(uses: &Table<Value, u32>, data: &WithLoopData) -> Option<Combinator> {
    let ([extent], [index], [generator]) = (&data.space[..], &data.indices[..], &data.generators[..]) else {
        return None;
    };
    if !is_full(generator, *extent) {
        return None;
    }
    let body = &generator.body;
    let mut inputs = inputs(uses, body, *index);
    let is_projection = body.stmts.len() == inputs.iter().filter(|input| input.array.is_some()).count();
    let (mut genarrays, mut folds, mut scans, mut filters) = (0, 0, 0, 0);
    for OperatorData { op, guarded } in &data.operators {
        match (op, guarded) {
            (Operator::GenArray, false) => genarrays += 1,
            (Operator::Fold { .. }, false) => folds += 1,
            (Operator::Scan { .. }, false) => scans += 1,
            (Operator::Filter { .. }, true) => filters += 1,
            (Operator::ModArray { .. } | Operator::Uniform, _)
            | (Operator::GenArray | Operator::Fold { .. } | Operator::Scan { .. }, true)
            | (Operator::Filter { .. }, false) => return None,
        }
    }
    let all = body.results.len();
    match (genarrays, folds, scans, filters) {
        (1.., 0, 0, 0) => Some(Combinator { name: "mapT", has_function: true, shown_cells: all, inputs }),
        (0, 1, 0, 0) if is_projection && in_order_of(&mut inputs, &body.results) => {
            Some(Combinator { name: "reduceT", has_function: false, shown_cells: 0, inputs })
        }
        (_, 1, 0, 0) => Some(Combinator { name: "redomapT", has_function: true, shown_cells: all, inputs }),
        (0, 0, 1, 0) if is_projection && in_order_of(&mut inputs, &body.results) => {
            Some(Combinator { name: "scanT", has_function: false, shown_cells: 0, inputs })
        }
        (0, 0, 0, 1) if in_order_of(&mut inputs, body.results.get(1..)?) => {
            Some(Combinator { name: "filterT", has_function: true, shown_cells: 1, inputs })
        }
        _ => None,
    }
}

fn is_full(generator: &Generator, extent: Extent) -> bool {
    generator.lower == [Operand::i64(0)]
        && generator.upper == [Operand::from(extent)]
        && generator.step == [1]
        && generator.width == [1]
}

/// The elements at the index that the block reads of arrays from outside, and the index itself if it is used otherwise.
fn inputs(uses: &Table<Value, u32>, body: &Block, index: Value) -> Vec<Input> {
    let inner: std::collections::BTreeSet<Value> = body.stmts.iter().flat_map(|stmt| &stmt.results).copied().collect();
    let mut inputs: Vec<Input> = Vec::new();
    for stmt in &body.stmts {
        if let (Op::Index { array, indices }, [element]) = (&stmt.op, &stmt.results[..])
            && indices[..] == [Operand::Value(index)]
            && stmt.certs.is_empty()
            && !inner.contains(array)
        {
            inputs.push(Input { element: *element, array: Some(*array) });
        }
    }
    if inputs.is_empty() || uses[index] as usize > inputs.len() {
        inputs.push(Input { element: index, array: None });
    }
    inputs
}

/// Puts the inputs into the order in which `cells` yields them. False if `cells` is not just the inputs, each once.
fn in_order_of(inputs: &mut [Input], cells: &[Operand]) -> bool {
    let place = |input: &Input| cells.iter().position(|cell| *cell == Operand::Value(input.element));
    if inputs.len() != cells.len() || inputs.iter().any(|input| place(input).is_none()) {
        return false;
    }
    inputs.sort_by_key(|input| place(input));
    true
}
