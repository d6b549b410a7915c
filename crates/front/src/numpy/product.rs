//! Products of arrays: sums over axes of products of elements.

use super::call::Arguments;
use super::elementwise::{operand_type, shape_of};
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::memory::Array;
use super::reductions::{Along, Reduction};
use super::types;
use super::ufuncs::Binary;
use frit_ir::Scalar;
use frit_ir::array::{Extent, Operand, Value};
use frit_ir::scalar::BinOp;
use frit_support::Span;
use std::collections::BTreeMap;

impl Lowering<'_> {
    /// A function that makes products, if there is one with this name.
    pub(super) fn product(&mut self, name: &str, arguments: &mut Arguments) -> Result<Option<Item>> {
        let span = arguments.span;
        let made = match name {
            "dot" | "matmul" | "inner" | "vdot" => {
                let (left, right) = (arguments.need(0, "a")?, arguments.need(1, "b")?);
                let out = arguments.take(2, "out");
                arguments.finish(3)?;
                let made = match name {
                    "matmul" => self.matmul(&left, &right, span)?,
                    "vdot" => {
                        let left = self.unary_ufunc("conj", &left, span)?;
                        let left = self.library_call("numpy.ravel", vec![left], span)?;
                        let right = self.library_call("numpy.ravel", vec![right], span)?;
                        self.matmul(&left, &right, span)?
                    }
                    name => self.dot(name, &left, &right, span)?,
                };
                return self.put_out(out, made, span).map(Some);
            }
            "outer" => {
                let (left, right) = (arguments.need(0, "a")?, arguments.need(1, "b")?);
                let (left, right) = (self.flattened(&left, span)?, self.flattened(&right, span)?);
                let column = self.reshaped(&left, vec![left.shape[0], Extent::Const(1)], Vec::new());
                self.binary_ufunc(Binary::Multiply, &Item::Array(column), &Item::Array(right), span)?
            }
            "einsum" => {
                let Item::Text(text) = arguments.need(0, "subscripts")? else {
                    return Err(self.wrong_type(span, "the first argument of `einsum` is a string"));
                };
                arguments.take(usize::MAX, "optimize");
                let operands = arguments.at[1..].to_vec();
                arguments.finish(usize::MAX)?;
                return self.einsum(&text, &operands, span).map(Some);
            }
            "tensordot" => {
                let (left, right) = (arguments.need(0, "a")?, arguments.need(1, "b")?);
                let axes = arguments.take(2, "axes").unwrap_or(Item::int(2));
                arguments.finish(3)?;
                return self.tensordot(&left, &right, &axes, span).map(Some);
            }
            "convolve" | "correlate" => {
                let (left, right) = (arguments.need(0, "a")?, arguments.need(1, "v")?);
                let default = if name == "convolve" { "full" } else { "valid" };
                let mode = match arguments.take(2, "mode") {
                    Some(Item::Text(mode)) => mode,
                    _ => default.to_string(),
                };
                self.convolved(&left, &right, name == "correlate", &mode, span)?
            }
            _ => return Ok(None),
        };
        arguments.finish(4)?;
        Ok(Some(made))
    }

    /// `left @ right`.
    pub(super) fn matmul(&mut self, left: &Item, right: &Item, span: Span) -> Result<Item> {
        let (left, right) = (self.array_like(left, span)?, self.array_like(right, span)?);
        if let [Item::Complex(_), _] | [_, Item::Complex(_)] = [&left, &right] {
            let at = vec![left, right];
            return self.library("numpy.matmul", Arguments { name: "matmul".into(), span, at, named: Vec::new() });
        }
        let ranks = [&left, &right].map(|item| shape_of(item).len());
        if ranks.contains(&0) {
            return Err(self.wrong_type(span, "`@` needs arrays with axes: use `*` for numbers"));
        }
        // Axes before the last two are walked in step.
        let batch = ranks.map(|rank| rank.saturating_sub(2)).into_iter().max().unwrap_or(0) as u32;
        let (sum, row, column) = (batch, batch + 1, batch + 2);
        let labels = |rank: usize, is_left: bool| -> Vec<u32> {
            let ends = match (rank, is_left) {
                (1, _) => vec![sum],
                (_, true) => vec![row, sum],
                (_, false) => vec![sum, column],
            };
            (batch - rank.saturating_sub(2) as u32..batch).chain(ends).collect()
        };
        let operands = [(left, labels(ranks[0], true)), (right, labels(ranks[1], false))];
        let mut result: Vec<u32> = (0..batch).collect();
        result.extend((ranks[0] > 1).then_some(row));
        result.extend((ranks[1] > 1).then_some(column));
        self.contraction(&operands, &result, span)
    }

    /// `np.dot` and `np.inner`: sums over the last axis of one, and the last but one, or last, of the other.
    fn dot(&mut self, name: &str, left: &Item, right: &Item, span: Span) -> Result<Item> {
        let (left, right) = (self.array_like(left, span)?, self.array_like(right, span)?);
        let ranks = [&left, &right].map(|item| shape_of(item).len());
        if ranks.contains(&0) {
            return self.binary_ufunc(Binary::Multiply, &left, &right, span);
        }
        let summed = if name == "dot" { ranks[1].saturating_sub(2) } else { ranks[1] - 1 };
        let sum = 0;
        let mut one: Vec<u32> = (1..ranks[0] as u32).collect();
        let mut other: Vec<u32> = (0..ranks[1] as u32 - 1).map(|at| 100 + at).collect();
        let result = one.iter().chain(&other).copied().collect::<Vec<_>>();
        one.push(sum);
        other.insert(summed, sum);
        self.contraction(&[(left, one), (right, other)], &result, span)
    }

    fn tensordot(&mut self, left: &Item, right: &Item, axes: &Item, span: Span) -> Result<Item> {
        let (left, right) = (self.array_like(left, span)?, self.array_like(right, span)?);
        let ranks = [&left, &right].map(|item| shape_of(item).len());
        let (first, second) = match axes {
            Item::Tuple(pair) if pair.len() == 2 => {
                (self.axes(&pair[0], ranks[0], span)?, self.axes(&pair[1], ranks[1], span)?)
            }
            count => {
                let count = usize::try_from(self.constant_integer(count, span)?).unwrap_or(usize::MAX);
                if count > ranks[0] || count > ranks[1] {
                    return Err(self.wrong_type(span, "there are not so many axes"));
                }
                ((ranks[0] - count..ranks[0]).collect(), (0..count).collect())
            }
        };
        if first.len() != second.len() {
            return Err(self.wrong_type(span, "the axes of `tensordot` do not match"));
        }
        let one: Vec<u32> = (0..ranks[0] as u32).collect();
        let other: Vec<u32> = (0..ranks[1])
            .map(|axis| match second.iter().position(|&summed| summed == axis) {
                Some(at) => first[at] as u32,
                None => 100 + axis as u32,
            })
            .collect();
        let kept = one.iter().filter(|&&label| !first.contains(&(label as usize)));
        let result: Vec<u32> = kept.chain(other.iter().filter(|&&label| label >= 100)).copied().collect();
        self.contraction(&[(left, one), (right, other)], &result, span)
    }

    fn einsum(&mut self, text: &str, operands: &[Item], span: Span) -> Result<Item> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let text = if text.contains('.') { self.with_names_for_ellipses(&text, operands, span)? } else { text };
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, output.to_string()),
            None => {
                // Letters that occur once, in the order of the alphabet.
                let mut letters: Vec<char> = text.chars().filter(|&c| c != ',').collect();
                letters.sort_unstable();
                let once = |c: &char| text.matches(*c).count() == 1;
                (text.as_str(), letters.iter().filter(|c| once(c)).collect())
            }
        };
        let labels: Vec<Vec<u32>> = inputs.split(',').map(|axes| axes.chars().map(u32::from).collect()).collect();
        if labels.len() != operands.len() {
            return Err(self.wrong_type(
                span,
                format!("`einsum` names {} arrays, and there are {}", labels.len(), operands.len()),
            ));
        }
        let mut items = Vec::new();
        for (item, labels) in operands.iter().zip(labels) {
            let item = self.array_like(item, span)?;
            if shape_of(&item).len() != labels.len() {
                return Err(self.wrong_type(span, "`einsum` names another number of axes than an array has"));
            }
            items.push((item, labels));
        }
        let result: Vec<u32> = output.chars().map(u32::from).collect();
        if result.iter().any(|label| !items.iter().any(|(_, labels)| labels.contains(label))) {
            return Err(self.wrong_type(span, "the result of `einsum` has an axis that no array has"));
        }
        self.contraction(&items, &result, span)
    }

    /// The subscripts of `einsum` with letters of another alphabet for the axes that `...` stands for.
    fn with_names_for_ellipses(&mut self, text: &str, operands: &[Item], span: Span) -> Result<String> {
        let letters =
            |count: usize| -> String { ('\u{3b1}'..'\u{3c9}').take(count).collect::<Vec<_>>().iter().rev().collect() };
        let (inputs, output) = text.split_once("->").map_or((text, None), |(one, other)| (one, Some(other)));
        let (mut named, mut most) = (Vec::new(), 0);
        for (axes, item) in inputs.split(',').zip(operands) {
            let item = self.array_like(item, span)?;
            let own = axes.chars().filter(|&c| c != '.').count();
            let count = shape_of(&item).len().saturating_sub(own);
            if axes.contains("...") {
                most = most.max(count);
            }
            named.push(axes.replace("...", &letters(count)));
        }
        let output = match output {
            Some(output) => output.replace("...", &letters(most)),
            None => {
                let mut once: Vec<char> = inputs.chars().filter(|c| c.is_alphabetic()).collect();
                once.sort_unstable();
                let rest: String = once.iter().filter(|c| inputs.matches(**c).count() == 1).collect();
                letters(most) + &rest
            }
        };
        Ok(format!("{}->{output}", named.join(",")))
    }

    /// The sums of products of elements over all labels that the result does not have. Axes with one label are walked in step.
    fn contraction(&mut self, operands: &[(Item, Vec<u32>)], result: &[u32], span: Span) -> Result<Item> {
        let of = types::common(&operands.iter().map(|(item, _)| operand_type(item)).collect::<Vec<_>>()).elem;
        if let [(one, _), (other, _)] = operands
            && result.is_empty()
            && of != Scalar::Bool
            && self.is_selected_alike(one, other)
        {
            // The sum needs no array of what the mask selected.
            let product = self.binary_ufunc(Binary::Multiply, one, other, span)?;
            return self.reduce(Reduction::Sum, &product, &Along { dtype: Some(of), ..Along::default() }, span);
        }
        let mut extents: BTreeMap<u32, Extent> = BTreeMap::new();
        for (item, labels) in operands {
            for (&label, &extent) in labels.iter().zip(shape_of(item)) {
                match extents.get(&label) {
                    None | Some(Extent::Const(1)) => _ = extents.insert(label, extent),
                    Some(_) if extent == Extent::Const(1) => {}
                    Some(&known) => {
                        if let (Extent::Const(one), Extent::Const(other)) = (known, extent)
                            && one != other
                        {
                            let what = format!("axes of {one} and of {other} elements are multiplied");
                            return Err(self.wrong_type(span, what));
                        }
                        self.same_size(known, extent);
                    }
                }
            }
        }
        let mut arrays: Vec<(Value, Array, Vec<u32>)> = Vec::new();
        let mut numbers = Vec::new();
        for (item, labels) in operands {
            match item {
                Item::Array(array) => arrays.push((self.read(array), array.clone(), labels.clone())),
                Item::Number(number) => numbers.push(self.convert(number.x, of)),
                other => return Err(self.not_compiled(span, &format!("this product of {}", other.name()), "")),
            }
        }
        let summed: Vec<u32> = extents.keys().copied().filter(|label| !result.contains(label)).collect();
        let (plus, times) = if of == Scalar::Bool { (BinOp::OR, BinOp::AND) } else { (BinOp::ADD, BinOp::MUL) };
        let product = |l: &mut Self, places: &BTreeMap<u32, Value>| -> Operand {
            let mut product: Option<Operand> = None;
            for (value, array, labels) in &arrays {
                let indices = labels.iter().zip(&array.shape).map(|(label, extent)| match extent {
                    Extent::Const(1) if extents[label] != Extent::Const(1) => Operand::i64(0),
                    _ => places[label].into(),
                });
                let x = l.b.index(*value, indices.collect(), Vec::new()).into();
                let x = l.convert(x, of);
                product = Some(product.map_or(x, |product| l.b.binary(times, product, x)));
            }
            for &x in &numbers {
                product = Some(product.map_or(x, |product| l.b.binary(times, product, x)));
            }
            product.expect("there is an operand")
        };
        let space: Vec<Extent> = summed.iter().map(|label| extents[label]).collect();
        let cell = |l: &mut Self, at: &[Value]| -> Operand {
            let outer: BTreeMap<u32, Value> = result.iter().copied().zip(at.iter().copied()).collect();
            if summed.is_empty() {
                return product(l, &outer);
            }
            let cell = |l: &mut Self, index: &[Value]| {
                let mut places = outer.clone();
                places.extend(summed.iter().copied().zip(index.iter().copied()));
                vec![product(l, &places)]
            };
            let combine = |l: &mut Self, x: &[Operand], y: &[Operand]| vec![l.b.binary(plus, x[0], y[0])];
            l.fold(space.clone(), vec![Operand::Const(of.zero())], true, &cell, &combine)[0]
        };
        if result.is_empty() {
            let x = cell(self, &[]);
            return Ok(Item::Number(Number::strong(x, of)));
        }
        let shape = result.iter().map(|label| extents[label]).collect();
        let value = self.generate(shape, of, |l, at| Ok(cell(l, at)))?;
        Ok(Item::Array(self.fresh(value)))
    }

    /// `np.convolve` and `np.correlate` of vectors.
    fn convolved(&mut self, left: &Item, right: &Item, is_correlation: bool, mode: &str, span: Span) -> Result<Item> {
        let (a, v) = (self.flattened(left, span)?, self.flattened(right, span)?);
        let of = types::promote(a.elem, v.elem);
        let (n, m): (Operand, Operand) = (a.shape[0].into(), v.shape[0].into());
        for extent in [n, m] {
            let is_some = self.arithmetic(BinOp::LT, Operand::i64(0), extent);
            self.b.assert(is_some, frit_ir::failure::FailureKind::EmptyReduction, Vec::new());
        }
        let (least, most) = (self.arithmetic(BinOp::MIN, n, m), self.arithmetic(BinOp::MAX, n, m));
        let sum = self.add(n, m);
        let full = self.sub(sum, Operand::i64(1));
        // Element `i` of the result is element `i + first` of the full one.
        let (length, first) = match mode {
            "full" => (full, Operand::i64(0)),
            "same" => {
                let off = self.sub(least, Operand::i64(1));
                let half = self.arithmetic(BinOp::FLOOR_DIV, off, Operand::i64(2));
                (most, half)
            }
            "valid" => {
                let off = self.sub(most, least);
                (self.add(off, Operand::i64(1)), self.sub(least, Operand::i64(1)))
            }
            _ => return Err(self.wrong_type(span, format!("there is no mode `{mode}`"))),
        };
        let (x, y) = (self.read(&a), self.read(&v));
        let last = self.sub(m, Operand::i64(1));
        let shape = self.extents(vec![length]);
        let value = self.generate(shape, of, |l, at| {
            let place = l.add(at[0].into(), first);
            // Of the first array, the elements from `place - (m - 1)` to `place` are multiplied, as far as there are any.
            let low = l.sub(place, last);
            let low = l.arithmetic(BinOp::MAX, low, Operand::i64(0));
            let end = l.add(place, Operand::i64(1));
            let high = l.arithmetic(BinOp::MIN, end, n);
            let count = l.sub(high, low);
            let count = l.arithmetic(BinOp::MAX, count, Operand::i64(0));
            let cell = |l: &mut Self, index: &[Value]| {
                let i = l.add(low, index[0].into());
                let j = l.sub(place, i);
                let j = if is_correlation { l.sub(last, j) } else { j };
                let one = l.b.index(x, vec![i], Vec::new()).into();
                let other = l.b.index(y, vec![j], Vec::new()).into();
                let (one, other) = (l.convert(one, of), l.convert(other, of));
                vec![l.b.binary(BinOp::MUL, one, other)]
            };
            let combine = |l: &mut Self, x: &[Operand], y: &[Operand]| vec![l.b.binary(BinOp::ADD, x[0], y[0])];
            Ok(l.fold(vec![count.extent()], vec![Operand::Const(of.zero())], true, &cell, &combine)[0])
        })?;
        Ok(Item::Array(self.fresh(value)))
    }
}
