//! Scalars and arrays of a type and shape that is wanted.

use super::{Elem, Generator};

impl Generator<'_> {
    /// True if there is no room for a sub-expression; counts it otherwise.
    fn is_spent(&mut self, depth: usize) -> bool {
        if self.fuel == 0 || depth == 0 {
            return true;
        }
        self.fuel -= 1;
        false
    }

    // ---- scalars

    pub(super) fn scalar(&mut self, elem: Elem, depth: usize) -> String {
        if self.is_spent(depth) || self.choices.below(5) == 0 {
            return self.simple_scalar(elem);
        }
        match self.choices.below(6) {
            0 => self.selected(elem).unwrap_or_else(|| self.simple_scalar(elem)),
            1 => self.reduction(elem, depth - 1),
            2 => {
                let condition = self.scalar(Elem::Bool, depth - 1);
                let (then, otherwise) = (self.scalar(elem, depth - 1), self.scalar(elem, depth - 1));
                format!("({condition} ? {then} : {otherwise})")
            }
            _ => self.operation(elem, depth - 1),
        }
    }

    fn simple_scalar(&mut self, elem: Elem) -> String {
        let names: Vec<String> = self
            .scope
            .iter()
            .filter(|variable| variable.elem == elem && variable.shape.is_empty())
            .map(|variable| variable.name.clone())
            .collect();
        if !names.is_empty() && self.choices.below(3) > 0 {
            let at = self.choices.below(names.len());
            return names[names.len() - 1 - at].clone();
        }
        if elem == Elem::Int
            && let Some(index) = self.indices.last().cloned()
            && !index.components.is_empty()
            && self.choices.below(3) > 0
        {
            let at = self.choices.below(index.components.len());
            return index.components[at].text.clone();
        }
        match elem {
            Elem::Int => self.choices.of(&["1", "0", "2", "(-3)", "7", "1000003", "(-2147483648)"]).to_string(),
            Elem::Double => self
                .choices
                .of(&["1.5", "0.0", "(-2.25)", "0.1", "1e300", "(0.0 / 0.0)", "(-0.0)", "(1.0 / 0.0)"])
                .to_string(),
            Elem::Bool => self.choices.of(&["true", "false"]).to_string(),
        }
    }

    /// An element of an array in scope, at the index in scope if that fits.
    fn selected(&mut self, elem: Elem) -> Option<String> {
        let arrays: Vec<_> = self
            .scope
            .iter()
            .filter(|v| v.elem == elem && !v.shape.is_empty() && v.shape.iter().all(|&extent| extent > 0))
            .cloned()
            .collect();
        let array = arrays.get(self.choices.below(arrays.len().max(1)))?;
        if let Some(index) = self.indices.last().cloned()
            && index.components.len() == array.shape.len()
        {
            // An offset that keeps all of the index inside.
            let offsets: Vec<i64> = index
                .components
                .iter()
                .zip(&array.shape)
                .map(|(component, &extent)| {
                    let (least, most) = (-component.from, extent as i64 - component.to);
                    if least > most { i64::MIN } else { [least, most, 0i64.clamp(least, most)][self.choices.below(3)] }
                })
                .collect();
            let fits = offsets.iter().all(|&offset| offset != i64::MIN);
            let name = &array.name;
            match (&index.vector, fits) {
                (Some(vector), true) if offsets.iter().all(|&offset| offset == 0) => {
                    return Some(format!("{name}[{vector}]"));
                }
                (Some(vector), true) if self.choices.below(2) == 0 => {
                    let offsets: Vec<String> = offsets.iter().map(ToString::to_string).collect();
                    return Some(format!("{name}[{vector} + [{}]]", offsets.join(",")));
                }
                (_, true) => {
                    let parts: Vec<String> = index
                        .components
                        .iter()
                        .zip(&offsets)
                        .map(|(component, offset)| match offset {
                            0 => component.text.clone(),
                            offset => format!("{} + ({offset})", component.text),
                        })
                        .collect();
                    return Some(format!("{name}[{}]", parts.join(", ")));
                }
                (Some(vector), false) => return Some(format!("{name}[mod({vector}, shape({name}))]")),
                (None, false) => {}
            }
        }
        let index: Vec<String> = array.shape.iter().map(|&extent| self.index_below(extent)).collect();
        Some(format!("{}[{}]", array.name, index.join(", ")))
    }

    /// What an array comes to: a function of the library, or a fold.
    fn reduction(&mut self, elem: Elem, depth: usize) -> String {
        let shape = self.shape();
        match elem {
            Elem::Bool => {
                let array = self.array(Elem::Bool, &shape, depth);
                format!("{}({array})", self.choices.of(&["any", "all"]))
            }
            Elem::Int => match self.choices.below(6) {
                0..=2 => {
                    let array = self.array(Elem::Int, &shape, depth);
                    format!("{}({array})", self.choices.of(&["sum", "maxval", "prod", "minval", "size"]))
                }
                3 => {
                    let n = self.scalar(Elem::Int, 0);
                    format!("down(mod({n}, 6), 1)")
                }
                _ => self.fold(elem, &shape, depth),
            },
            Elem::Double => match self.choices.below(2) {
                0 => {
                    let array = self.array(Elem::Double, &shape, depth);
                    format!("{}({array})", self.choices.of(&["sum", "prod", "maxval", "minval"]))
                }
                _ => self.fold(elem, &shape, depth),
            },
        }
    }

    fn operation(&mut self, elem: Elem, depth: usize) -> String {
        match elem {
            Elem::Int => {
                let (a, b) = (self.scalar(Elem::Int, depth), self.scalar(Elem::Int, depth));
                match self.choices.below(10) {
                    0..=2 => format!("({a} {} {b})", self.choices.of(&["+", "-", "*", "&", "|", "^"])),
                    3 => format!("{}({a}, {b})", self.choices.of(&["min", "max", "mod"])),
                    4 => format!("({a} {} (abs({b} % 5) + 1))", self.choices.of(&["/", "%"])),
                    5 => format!("({a} {} 2)", self.choices.of(&["<<", ">>"])),
                    6 => format!("toi({a} < {b})"),
                    7 if self.flavour.reals => {
                        let real = self.scalar(Elem::Double, 0);
                        format!("(abs({real}) < 1e6 ? toi({real}) : {a})")
                    }
                    8 => format!(
                        "{}{a})",
                        self.choices.of(&["twice(", "weighed(", "counted(", "noted(", "raised(tally, "])
                    ),
                    _ => format!("({} {a})", self.choices.of(&["-", "~", "++", "--"])),
                }
            }
            Elem::Double => {
                let (a, b) = (self.scalar(Elem::Double, depth), self.scalar(Elem::Double, depth));
                match self.choices.below(6) {
                    0 | 1 => format!("({a} {} {b})", self.choices.of(&["+", "-", "*", "/"])),
                    2 => format!("{}({a}, {b})", self.choices.of(&["min", "max"])),
                    3 => {
                        let number = self.scalar(Elem::Int, 0);
                        format!("tod({number})")
                    }
                    4 => format!("sqrt(abs({a}))"),
                    _ => format!("{}({a})", self.choices.of(&["-", "abs", "floor"])),
                }
            }
            Elem::Bool => match self.choices.below(5) {
                0..=2 => {
                    let elem = if self.flavour.reals && self.choices.below(2) == 1 { Elem::Double } else { Elem::Int };
                    let (a, b) = (self.scalar(elem, depth), self.scalar(elem, depth));
                    format!("({a} {} {b})", self.choices.of(&["<", "<=", "==", "!=", ">", ">="]))
                }
                3 => {
                    let (a, b) = (self.scalar(Elem::Bool, depth), self.scalar(Elem::Bool, depth));
                    format!("({a} {} {b})", self.choices.of(&["&&", "||", "&", "|"]))
                }
                _ => {
                    let a = self.scalar(Elem::Bool, depth);
                    format!("(!{a})")
                }
            },
        }
    }

    // ---- arrays

    /// An array of at least one axis.
    pub(super) fn array(&mut self, elem: Elem, shape: &[usize], depth: usize) -> String {
        if self.is_spent(depth) {
            return self.simple_array(elem, shape);
        }
        match self.choices.below(14) {
            0 => self.simple_array(elem, shape),
            1..=4 => self.with_loop(elem, shape, depth - 1),
            5 | 6 => self.elementwise(elem, shape, depth - 1),
            7 | 8 => self.restructured(elem, shape, depth - 1),
            9 => self.part_of(elem, shape, depth - 1),
            10 => {
                let condition = self.scalar(Elem::Bool, 1);
                let (then, otherwise) = (self.array(elem, shape, depth - 1), self.array(elem, shape, depth - 1));
                format!("({condition} ? {then} : {otherwise})")
            }
            _ => self.called(elem, shape, depth - 1),
        }
    }

    fn simple_array(&mut self, elem: Elem, shape: &[usize]) -> String {
        let names: Vec<String> = self
            .scope
            .iter()
            .filter(|variable| variable.elem == elem && variable.shape == shape)
            .map(|variable| variable.name.clone())
            .collect();
        if !names.is_empty() && self.choices.below(3) > 0 {
            let at = self.choices.below(names.len());
            return names[names.len() - 1 - at].clone();
        }
        let size: usize = shape.iter().product();
        match self.choices.below(3) {
            0 if elem == Elem::Int => {
                let (size, extents) = (self.extent(size), self.extents_text(shape));
                if shape.len() == 1 { format!("iota({size})") } else { format!("reshape({extents}, iota({size}))") }
            }
            1 if size > 0 && size <= 12 => self.literal(elem, shape),
            _ => {
                let (extents, value) = (self.extents_text(shape), self.simple_scalar(elem));
                format!("genarray({extents}, {value})")
            }
        }
    }

    fn literal(&mut self, elem: Elem, shape: &[usize]) -> String {
        let parts: Vec<String> = (0..shape[0])
            .map(|_| match &shape[1..] {
                [] => self.simple_scalar(elem),
                rest => self.literal(elem, rest),
            })
            .collect();
        format!("[{}]", parts.join(", "))
    }

    fn elementwise(&mut self, elem: Elem, shape: &[usize], depth: usize) -> String {
        let a = self.array(elem, shape, depth);
        let b = if self.choices.below(3) == 0 { self.scalar(elem, 1) } else { self.array(elem, shape, depth) };
        match elem {
            Elem::Int => match self.choices.below(5) {
                0 | 1 => format!("({a} {} {b})", self.choices.of(&["+", "-", "*"])),
                2 => format!("{}({a}, {b})", self.choices.of(&["min", "max", "mod"])),
                3 => format!("abs({a})"),
                _ => format!("(-{a})"),
            },
            Elem::Double => match self.choices.below(3) {
                0 | 1 => format!("({a} {} {b})", self.choices.of(&["+", "-", "*", "/"])),
                _ => format!("{}({a}, {b})", self.choices.of(&["min", "max"])),
            },
            Elem::Bool => match self.choices.below(3) {
                0 => format!("({a} {} {b})", self.choices.of(&["&", "|"])),
                1 => format!("(!{a})"),
                _ => {
                    let (a, b) = (self.array(Elem::Int, shape, depth), self.array(Elem::Int, shape, depth));
                    format!("({a} {} {b})", self.choices.of(&["<", "<=", "==", "!="]))
                }
            },
        }
    }

    /// The elements of other arrays in another order.
    fn restructured(&mut self, elem: Elem, shape: &[usize], depth: usize) -> String {
        let rank = shape.len();
        let axis = self.choices.below(rank);
        match self.choices.below(12) {
            0 => {
                let (array, by) = (self.array(elem, shape, depth), self.choices.of(&["1", "-1", "h", "5", "-2"]));
                format!("rotate({axis}, {by}, {array})")
            }
            1 => {
                let array = self.array(elem, shape, depth);
                let by: Vec<&str> = (0..=axis).map(|_| self.choices.of(&["1", "0", "-1", "h", "7"])).collect();
                format!("rotate([{}], {array})", by.join(","))
            }
            2 => {
                let (array, filler) = (self.array(elem, shape, depth), self.scalar(elem, 1));
                let by: Vec<&str> = (0..=axis).map(|_| self.choices.of(&["1", "0", "-1", "h", "9"])).collect();
                format!("shift([{}], {filler}, {array})", by.join(","))
            }
            3 => {
                let array = self.array(elem, shape, depth);
                if axis == 0 { format!("reverse({array})") } else { format!("reverse({axis}, {array})") }
            }
            4 => {
                let reversed: Vec<usize> = shape.iter().rev().copied().collect();
                let array = self.array(elem, &reversed, depth);
                format!("transpose({array})")
            }
            5 | 6 => {
                // Some more on an axis, taken off again.
                let mut larger = shape.to_vec();
                let more = 1 + self.choices.below(2);
                larger[axis] += more;
                let array = self.array(elem, &larger, depth);
                let mut amounts: Vec<String> = (0..axis).map(|_| "0".to_string()).collect();
                let sign = self.choices.of(&["", "-"]);
                if self.choices.below(2) == 0 {
                    amounts.push(format!("{sign}{more}"));
                    return format!("drop([{}], {array})", amounts.join(","));
                }
                let extents: Vec<String> = shape[..axis].to_vec().iter().map(|&extent| self.extent(extent)).collect();
                let last = self.extent(shape[axis]);
                let taken: Vec<String> = extents.into_iter().chain([format!("{sign}({last})")]).collect();
                format!("take([{}], {array})", taken.join(","))
            }
            7 | 8 => {
                // Two parts side by side.
                let (operator, axis) = match self.choices.below(4) {
                    0 | 1 => ("++", 0),
                    2 if rank >= 2 => ("++++", 1),
                    _ => ("++^", rank - 1),
                };
                let cut = self.choices.below(shape[axis] + 1);
                let (mut left, mut right) = (shape.to_vec(), shape.to_vec());
                left[axis] = cut;
                right[axis] -= cut;
                let (left, right) = (self.array(elem, &left, depth), self.array(elem, &right, depth));
                format!("({left} {operator} {right})")
            }
            9 => {
                let size: usize = shape.iter().product();
                let (array, extents) = (self.array(elem, &[size], depth), self.extents_text(shape));
                format!("reshape({extents}, {array})")
            }
            10 => {
                let chosen = self.array(Elem::Bool, shape, depth);
                let (a, b) = (self.array(elem, shape, depth), self.array(elem, shape, depth));
                format!("where({chosen}, {a}, {b})")
            }
            _ => {
                let mut larger = shape.to_vec();
                larger[axis] += 2;
                let array = self.array(elem, &larger, depth);
                let extents = self.extents_text(shape);
                let offset: Vec<&str> = (0..rank).map(|at| if at == axis { "1" } else { "0" }).collect();
                format!("tile({extents}, [{}], {array})", offset.join(","))
            }
        }
    }

    /// A cell, a row or a column of an array with one axis more.
    fn part_of(&mut self, elem: Elem, shape: &[usize], depth: usize) -> String {
        let at = self.choices.below(shape.len() + 1);
        let extent = 1 + self.choices.below(3);
        let mut larger = shape.to_vec();
        larger.insert(at, extent);
        let array = self.array(elem, &larger, depth);
        let index = self.index_below(extent);
        let dots: Vec<&str> = (0..at).map(|_| ".").collect();
        match (at, self.choices.below(3)) {
            (0, 0) => format!("({array})[{index}]"),
            (0, 1) => format!("({array})[[{index}]]"),
            (at, 2) if at == shape.len() => format!("({array})[...,{index}]"),
            (0, _) => format!("({array})[{index},...]"),
            _ => format!("({array})[{},{index}]", dots.join(",")),
        }
    }

    /// A function of the prelude.
    fn called(&mut self, elem: Elem, shape: &[usize], depth: usize) -> String {
        if elem != Elem::Int {
            return self.elementwise(elem, shape, depth);
        }
        match (self.choices.below(4), shape) {
            (0, &[n, m]) => {
                let array = self.array(elem, &[m, n], depth);
                format!("flip({array})")
            }
            (1, &[m, n]) => {
                let (array, factors) = (self.array(elem, &[m, n], depth), self.array(elem, &[m], 1));
                format!("scale({array}, {factors})")
            }
            (2, &[n]) if n > 0 => {
                let array = self.array(elem, shape, depth);
                format!("blur({array})")
            }
            (3, _) => {
                let chosen = self.array(Elem::Bool, shape, 1);
                let (a, b) = (self.array(elem, shape, depth), self.array(elem, shape, depth));
                format!("pick({chosen}, {a}, {b})")
            }
            _ => {
                let array = self.array(elem, shape, depth);
                format!("twice({array})")
            }
        }
    }
}
