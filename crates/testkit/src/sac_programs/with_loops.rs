//! With-loops of both dialects, and tensor comprehensions.

use super::{Component, Elem, Generator, IndexVector};

/// A box of indices with its text.
struct Range {
    /// What stands between the parentheses.
    text: String,
    index: IndexVector,
}

impl Generator<'_> {
    /// An array made by a loop over its indices, or over those of its leading axes.
    pub(super) fn with_loop(&mut self, elem: Elem, shape: &[usize], depth: usize) -> String {
        let frame = shape.len() - usize::from(shape.len() > 1 && self.choices.below(3) == 0);
        let (frame, cell) = shape.split_at(frame);
        match self.choices.below(8) {
            0..=2 => self.block_loop(elem, frame, cell, depth),
            3 | 4 => self.modified(elem, frame, cell, depth),
            5 => self.classic_loop(elem, frame, cell, depth),
            _ => self.tensor(elem, frame, cell, depth),
        }
    }

    fn block_loop(&mut self, elem: Elem, frame: &[usize], cell: &[usize], depth: usize) -> String {
        let parts = self.block_parts(elem, frame, cell, depth);
        let (extents, default) = (self.extents_text(frame), self.default(elem, cell));
        format!("with {{ {parts} }} : genarray({extents}, {default})")
    }

    fn modified(&mut self, elem: Elem, frame: &[usize], cell: &[usize], depth: usize) -> String {
        let source = self.array(elem, &[frame, cell].concat(), depth);
        if self.choices.below(4) == 0 {
            // Dots mean the whole array, so cells are scalars.
            let whole = [frame, cell].concat();
            let part = self.classic_part(elem, &whole, &[], depth);
            return format!("(with {part} modarray({source}))");
        }
        let parts = self.block_parts(elem, frame, cell, depth);
        format!("with {{ {parts} }} : modarray({source})")
    }

    /// What a fold with a function that is associative comes to.
    pub(super) fn fold(&mut self, elem: Elem, frame: &[usize], depth: usize) -> String {
        let (function, neutral) = match elem {
            Elem::Int => {
                [("+", "0"), ("max", "minint()"), ("*", "1"), ("min", "maxint()"), ("|", "5")][self.choices.below(5)]
            }
            Elem::Double => [("max", "mindouble()"), ("+", "0.0"), ("min", "maxdouble()")][self.choices.below(3)],
            Elem::Bool => [("||", "false"), ("&&", "true")][self.choices.below(2)],
        };
        let range = self.range(frame, false);
        let cell = self.cell(&range, elem, &[], depth);
        if self.choices.below(2) == 0 {
            format!("with {{ ({}) : {cell}; }} : fold({function}, {neutral})", range.text)
        } else {
            format!("(with ({}) : {cell} fold({function}, {neutral}))", range.text)
        }
    }

    /// Generators with their cells; they may overlap and leave indices out.
    fn block_parts(&mut self, elem: Elem, frame: &[usize], cell: &[usize], depth: usize) -> String {
        let mut parts = Vec::new();
        for _ in 0..1 + self.choices.below(3) {
            let range = self.range(frame, true);
            let saved = self.scope.len();
            self.indices.push(range.index.clone());
            let block = if self.choices.below(3) == 0 {
                let elem = self.elem();
                let value = self.scalar(elem, depth.min(2));
                let name = self.fresh("t");
                self.bind(&name, elem, &[]);
                format!(" {{ {name} = {value}; }}")
            } else {
                String::new()
            };
            let value = self.value(elem, cell, depth);
            self.indices.pop();
            self.scope.truncate(saved);
            parts.push(format!("({}){block} : {value};", range.text));
        }
        parts.join(" ")
    }

    fn classic_loop(&mut self, elem: Elem, frame: &[usize], cell: &[usize], depth: usize) -> String {
        let (extents, default) = (self.extents_text(frame), self.default(elem, cell));
        if self.choices.below(3) == 0 {
            let part = self.classic_part(elem, frame, cell, depth);
            return format!("(with {part} genarray({extents}, {default}))");
        }
        // Two generators that split the first axis.
        let cut = self.choices.below(frame[0] + 1);
        let mut parts = Vec::new();
        for (from, to) in [(0, cut), (cut, frame[0])] {
            let (mut lower, mut upper) = (vec![0; frame.len()], frame.to_vec());
            (lower[0], upper[0]) = (from, to);
            let (lower_text, upper_text) = (self.extents_text(&lower), self.extents_text(&upper));
            let name = self.fresh("iv");
            let components = (0..frame.len())
                .map(|at| Component { text: format!("{name}[{at}]"), from: lower[at] as i64, to: upper[at] as i64 })
                .collect();
            let index = IndexVector { vector: Some(name.clone()), components };
            let range = Range { text: format!("{lower_text} <= {name} < {upper_text}"), index };
            let value = self.cell(&range, elem, cell, depth);
            parts.push(format!("({}) : {value}", range.text));
        }
        format!("(with {} genarray({extents}, {default}))", parts.join(" "))
    }

    /// `(iv) : cell` over all indices.
    fn classic_part(&mut self, elem: Elem, frame: &[usize], cell: &[usize], depth: usize) -> String {
        let name = self.fresh("iv");
        let components = frame
            .iter()
            .enumerate()
            .map(|(at, &extent)| Component { text: format!("{name}[{at}]"), from: 0, to: extent as i64 })
            .collect();
        let range = Range { text: name.clone(), index: IndexVector { vector: Some(name), components } };
        let value = self.cell(&range, elem, cell, depth);
        format!("({}) : {value}", range.text)
    }

    fn tensor(&mut self, elem: Elem, frame: &[usize], cell: &[usize], depth: usize) -> String {
        let names: Vec<String> = frame.iter().map(|_| self.fresh("i")).collect();
        let components = names
            .iter()
            .zip(frame)
            .map(|(name, &extent)| Component { text: name.clone(), from: 0, to: extent as i64 })
            .collect();
        let index = format!("[{}]", names.join(","));
        let range = Range { text: String::new(), index: IndexVector { vector: None, components } };
        let value = self.cell(&range, elem, cell, depth);
        let extents = self.extents_text(frame);
        match self.choices.below(3) {
            0 => format!("{{ {index} -> ({value}) | {index} < {extents} }}"),
            1 => format!("{{ {index} -> ({value}) | 0 * {extents} <= {index} < {extents} }}"),
            _ => {
                let lower: Vec<usize> = frame.iter().map(|&extent| extent.min(1)).collect();
                let (lower, default) = (self.extents_text(&lower), self.value(elem, cell, 1));
                format!(
                    "{{ {index} -> ({value}) | {lower} <= {index} < {extents}; {index} -> {default} | {index} < {extents} }}"
                )
            }
        }
    }

    /// A cell for the indices of `range`.
    fn cell(&mut self, range: &Range, elem: Elem, cell: &[usize], depth: usize) -> String {
        let saved = self.scope.len();
        self.indices.push(range.index.clone());
        let value = self.value(elem, cell, depth);
        self.indices.pop();
        self.scope.truncate(saved);
        value
    }

    /// What stands where no generator is.
    fn default(&mut self, elem: Elem, cell: &[usize]) -> String {
        if cell.is_empty() {
            return self.scalar(elem, 0);
        }
        let extents = self.extents_text(cell);
        format!("genarray({extents}, {})", elem.zero())
    }

    /// Several results of one loop.
    pub(super) fn several_operations(&mut self) {
        let (first, second) = (self.elem(), self.elem());
        let frame: Vec<usize> = self.shape();
        let range = self.range(&frame, true);
        let (a, b) = (self.cell(&range, first, &[], 2), self.cell(&range, second, &[], 2));
        let (extents, default) = (self.extents_text(&frame), self.scalar(first, 0));
        let (name, other) = (self.fresh("a"), self.fresh("s"));
        let fold = match second {
            Elem::Int => "fold(+, 0)",
            Elem::Double => "fold(max, mindouble())",
            Elem::Bool => "fold(||, false)",
        };
        // A dot means the whole of the first array, which a fold does not know.
        let text = match range.text.contains('.') || self.choices.below(2) == 0 {
            true => {
                let third = self.fresh("a");
                self.line(&format!(
                    "{name}, {third} = with {{ ({}) : ({a}, {b}); }} : (genarray({extents}, {default}), genarray({extents}, {}));",
                    range.text,
                    second.zero()
                ));
                self.bind(&third, second, &frame);
                String::new()
            }
            false => format!(
                "{name}, {other} = with {{ ({}) : ({a}, {b}); }} : (genarray({extents}, {default}), {fold});",
                range.text
            ),
        };
        if !text.is_empty() {
            self.line(&text);
            self.bind(&other, second, &[]);
        }
        self.bind(&name, first, &frame);
    }

    /// A box within `frame`; with dots only if an array with at least these axes is made.
    fn range(&mut self, frame: &[usize], may_have_dots: bool) -> Range {
        let (mut lower, mut upper): (Vec<usize>, Vec<usize>) = (vec![0; frame.len()], frame.to_vec());
        for axis in 0..frame.len() {
            if self.choices.below(3) == 0 {
                lower[axis] = self.choices.below(frame[axis] + 1);
            }
            if self.choices.below(3) == 0 {
                upper[axis] -= self.choices.below(frame[axis] + 1);
            }
        }
        let vector = self.fresh("iv");
        let names: Vec<String> = frame.iter().map(|_| self.fresh("i")).collect();
        let form = self.choices.below(3);
        let (pattern, vector, parts) = match form {
            0 => (vector.clone(), Some(vector.clone()), (0..frame.len()).map(|at| format!("{vector}[{at}]")).collect()),
            1 => (format!("[{}]", names.join(",")), None, names),
            _ => (format!("{vector}=[{}]", names.join(",")), Some(vector), names),
        };
        let (lower_text, upper_text);
        match self.choices.below(if may_have_dots { 4 } else { 2 }) {
            0 => {
                upper_text = format!("< {}", self.extents_text(&upper));
                lower_text = format!("{} <=", self.extents_text(&lower));
            }
            1 => {
                // One below and one above: the other relations.
                let below: Vec<String> = lower.iter().map(|&bound| format!("{}", bound as i64 - 1)).collect();
                let last: Vec<String> = upper.iter().map(|&bound| format!("{}", bound as i64 - 1)).collect();
                lower_text = format!("[{}] <", below.join(","));
                upper_text = format!("<= [{}]", last.join(","));
            }
            2 => {
                lower = vec![0; frame.len()];
                lower_text = ". <=".to_string();
                upper_text = format!("< {}", self.extents_text(&upper));
            }
            // Between two dots a vector has all axes of the array, also those of cells, unless its components are named.
            _ if form == 0 => {
                lower = vec![0; frame.len()];
                lower_text = ". <=".to_string();
                upper_text = format!("< {}", self.extents_text(&upper));
            }
            _ => {
                let inner = self.choices.below(2);
                lower = vec![inner; frame.len()];
                upper = frame.iter().map(|&extent| extent.saturating_sub(inner)).collect();
                lower_text = [". <=", ". <"][inner].to_string();
                upper_text = ["<= .", "< ."][inner].to_string();
            }
        }
        let filter = match self.choices.below(4) {
            0 => {
                let steps: Vec<String> = frame.iter().map(|_| (1 + self.choices.below(3)).to_string()).collect();
                let widths: Vec<String> = frame.iter().map(|_| (1 + self.choices.below(2)).to_string()).collect();
                match self.choices.below(2) {
                    0 => format!(" step [{}]", steps.join(",")),
                    _ => format!(" step [{}] width [{}]", steps.join(","), widths.join(",")),
                }
            }
            _ => String::new(),
        };
        let components = parts
            .into_iter()
            .enumerate()
            .map(|(at, text)| Component { text, from: lower[at] as i64, to: upper[at].max(lower[at]) as i64 })
            .collect();
        Range {
            text: format!("{lower_text} {pattern} {upper_text}{filter}"),
            index: IndexVector { vector, components },
        }
    }
}
