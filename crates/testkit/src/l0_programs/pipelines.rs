//! Programs as array programmers write them: chains of small operations on whole arrays, one `let` after the other, several of
//! them reading what one made.

use super::{Generator, Ty, Variable};

/// The operation and the start value of a reduction or scan.
type Combination = (&'static str, &'static str);

impl Generator<'_> {
    /// The steps of a program on the parameters in scope, and the type of its result.
    pub(super) fn pipeline(&mut self) -> (Ty, String) {
        let mut text = String::new();
        let given = self.scope.len();
        for _ in 0..4 + self.choices.below(9) {
            if let Some(step) = self.step() {
                text.push_str("let ");
                text.push_str(&step);
                text.push_str(" in\n  ");
            }
        }
        // What nothing reads is a result, and so is now and then what something reads. Now and then nothing needs a value.
        let mut results = Vec::new();
        for at in given..self.scope.len() {
            let Variable { name, ty } = self.scope[at].clone();
            let is_read = text.matches(&name).count() > 1;
            if is_read == (self.choices.below(6) == 1) {
                results.push((name, ty));
            }
        }
        if results.is_empty() {
            results.push(("n0".into(), Ty::Int));
        }
        let names: Vec<String> = results.iter().map(|(name, _)| name.clone()).collect();
        text.push_str(&format!("{{{}}}", names.join(", ")));
        (Ty::Tuple(results.into_iter().map(|(_, ty)| ty).collect()), text)
    }

    /// `name = value`, with the name in scope from now on.
    fn step(&mut self) -> Option<String> {
        match self.choices.below(25) {
            0..=3 => self.map_step(),
            4 | 5 => self.zip_step(),
            6 => self.nested_step(),
            7 | 8 => self.reduce_step(),
            9 => self.scan_step(),
            10 => self.filter_step(),
            11 => self.row_step(),
            12 => self.column_step(),
            13..=16 => self.view_step(),
            17 => self.split_step(),
            18 => self.concat_step(),
            19 => self.source_step(),
            20 => self.outer_step(),
            21 => self.several_step(),
            22 => self.branch_step(),
            23 => self.loop_step(),
            _ => self.unused_step(),
        }
    }

    /// An array of this rank that is in scope, the newest most often: its name, its elements and its lengths, outermost first.
    fn array_of_rank(&mut self, rank: usize) -> Option<(String, Ty, Vec<String>)> {
        let fitting: Vec<(String, Ty, Vec<String>)> = self
            .scope
            .iter()
            .filter_map(|variable| {
                let (elem, lengths) = flattened(&variable.ty);
                (lengths.len() == rank && elem.is_scalar()).then(|| (variable.name.clone(), elem, lengths))
            })
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let last = fitting.len() - 1;
        let back = self.choices.below(fitting.len()).min(self.choices.below(fitting.len()));
        Some(fitting[last - back].clone())
    }

    fn bind(&mut self, ty: Ty, value: &str) -> String {
        let name = self.fresh("v");
        self.scope.push(Variable { name: name.clone(), ty });
        format!("{name} = {value}")
    }

    fn combination(&mut self, elem: &Ty) -> Combination {
        match elem {
            Ty::Real => [("op +", "0.0"), ("op *", "1.0"), ("op +", "1.5")][self.choices.below(3)],
            Ty::Bool => [("op &&", "True"), ("op ||", "False")][self.choices.below(2)],
            _ => [("op +", "0"), ("op *", "1"), ("op +", "7"), ("op |", "0")][self.choices.below(4)],
        }
    }

    /// A function of one scalar: `fn T (S p) => ...`, and its result.
    fn function_of(&mut self, params: &[Ty]) -> (String, Ty) {
        let result = self.scalar_type();
        let (list, body) = self.under(params, |g| g.expression(&result, 2));
        (format!("fn {} ({list}) => {body}", result.source()), result)
    }

    /// Something that nothing reads, and that may fail.
    fn unused_step(&mut self) -> Option<String> {
        let value = self.check(2);
        Some(format!("{} = {value}", self.fresh("w")))
    }

    fn map_step(&mut self) -> Option<String> {
        let (array, elem, lengths) = self.array_of_rank(1)?;
        let (function, result) = self.function_of(&[elem]);
        Some(self.bind(nested(result, &lengths), &format!("map({function}, {array})")))
    }

    fn zip_step(&mut self) -> Option<String> {
        let (a, elem, lengths) = self.array_of_rank(1)?;
        let fitting: Vec<Variable> = self.scope.iter().filter(|v| flattened(&v.ty).1 == lengths).cloned().collect();
        let other = fitting[self.choices.below(fitting.len())].clone();
        let (function, result) = self.function_of(&[elem, flattened(&other.ty).0]);
        Some(self.bind(nested(result, &lengths), &format!("map({function}, zip({a}, {}))", other.name)))
    }

    /// A map over all elements of a matrix.
    fn nested_step(&mut self) -> Option<String> {
        let (matrix, elem, lengths) = self.array_of_rank(2)?;
        let row = self.fresh("p");
        let (function, result) = self.function_of(std::slice::from_ref(&elem));
        let value =
            format!("map(fn [{}] ([{}] {row}) => map({function}, {row}), {matrix})", result.source(), elem.source());
        Some(self.bind(nested(result, &lengths), &value))
    }

    fn reduce_step(&mut self) -> Option<String> {
        let (array, elem, _) = self.array_of_rank(1)?;
        if elem == Ty::Int && self.choices.below(4) == 1 {
            let value = format!("reduce(fn int (int x, int y) => if x < y then y else x, 0 - 100, {array})");
            return Some(self.bind(elem, &value));
        }
        let (operator, start) = self.combination(&elem);
        Some(self.bind(elem, &format!("reduce({operator}, {start}, {array})")))
    }

    fn scan_step(&mut self) -> Option<String> {
        let (array, elem, lengths) = self.array_of_rank(1)?;
        let (operator, start) = self.combination(&elem);
        Some(self.bind(nested(elem, &lengths), &format!("scan({operator}, {start}, {array})")))
    }

    fn filter_step(&mut self) -> Option<String> {
        let (array, elem, _) = self.array_of_rank(1)?;
        let (param, test) = self.under(std::slice::from_ref(&elem), |g| g.expression(&Ty::Bool, 2));
        let name = self.fresh("v");
        self.scope.push(Variable { name: name.clone(), ty: Ty::array(elem, &format!("size(0, {name})")) });
        Some(format!("{name} = filter(fn bool ({param}) => {test}, {array})"))
    }

    /// Every row reduced, or scanned, or mapped with something computed once for the row.
    fn row_step(&mut self) -> Option<String> {
        let (matrix, elem, lengths) = self.array_of_rank(2)?;
        let (operator, start) = self.combination(&elem);
        let (row, ty) = (self.fresh("p"), elem.source());
        let (cell, body) = match self.choices.below(3) {
            0 => (elem, format!("reduce({operator}, {start}, {row})")),
            1 => (nested(elem, &lengths[1..]), format!("scan({operator}, {start}, {row})")),
            _ => {
                let whole = self.fresh("s");
                let (list, inner) = self.under(std::slice::from_ref(&elem), |g| {
                    g.under_variable(&whole, &elem, |g| g.expression(&elem, 2))
                });
                let map = format!("map(fn {ty} ({list}) => {inner}, {row})");
                (nested(elem, &lengths[1..]), format!("let {whole} = reduce({operator}, {start}, {row}) in {map}"))
            }
        };
        let value = format!("map(fn {} ([{ty}] {row}) => {body}, {matrix})", cell.source());
        Some(self.bind(Ty::array(cell, &lengths[0]), &value))
    }

    /// Columns reduced or scanned, row by row.
    fn column_step(&mut self) -> Option<String> {
        let (matrix, elem, lengths) = self.array_of_rank(2)?;
        let (operator, start) = self.combination(&elem);
        let (x, y, ty) = (self.fresh("p"), self.fresh("p"), elem.source());
        let combine = format!("fn [{ty}] ([{ty}] {x}, [{ty}] {y}) => map({operator}, zip({x}, {y}))");
        let (function, lengths) = match self.choices.below(2) {
            0 => ("reduce", &lengths[1..]),
            _ => ("scan", &lengths[..]),
        };
        let inner = lengths.last().expect("rows have a length");
        let value = format!("{function}({combine}, replicate({inner}, {start}), {matrix})");
        Some(self.bind(nested(elem, lengths), &value))
    }

    /// Another order or shape of the same elements.
    fn view_step(&mut self) -> Option<String> {
        if self.choices.below(3) == 1
            && let Some((cube, elem, lengths)) = self.array_of_rank(3)
        {
            let turned = [lengths[1].clone(), lengths[2].clone(), lengths[0].clone()];
            return Some(self.bind(nested(elem, &turned), &format!("transpose(0, 2, {cube})")));
        }
        let (matrix, elem, lengths) = self.array_of_rank(2)?;
        let (rows, columns) = (&lengths[0], &lengths[1]);
        let count = format!("({rows}) * ({columns})");
        match self.choices.below(3) {
            0 => Some(self.bind(nested(elem, &[columns.clone(), rows.clone()]), &format!("transpose({matrix})"))),
            1 => Some(self.bind(Ty::array(elem, &count), &format!("reshape(({count}), {matrix})"))),
            _ => {
                let flat = format!("reshape(({count}), {matrix})");
                let shape = [columns.clone(), rows.clone()];
                Some(self.bind(nested(elem, &shape), &format!("reshape(({columns}, {rows}), {flat})")))
            }
        }
    }

    fn split_step(&mut self) -> Option<String> {
        let rank = 1 + self.choices.below(2);
        let (array, elem, lengths) = self.array_of_rank(rank)?;
        let at = self.expression(&Ty::Int, 1);
        let (p, q) = (self.fresh("v"), self.fresh("v"));
        for part in [&p, &q] {
            let mut own = lengths.clone();
            own[0] = format!("size(0, {part})");
            self.scope.push(Variable { name: part.clone(), ty: nested(elem.clone(), &own) });
        }
        Some(format!("{{{p}, {q}}} = split(({at}) % (size(0, {array}) + 1), {array})"))
    }

    fn concat_step(&mut self) -> Option<String> {
        let rank = 1 + self.choices.below(2);
        let (first, elem, lengths) = self.array_of_rank(rank)?;
        let is_like = |ty: &Ty| {
            let (other, own) = flattened(ty);
            other == elem && own.len() == lengths.len() && own[1..] == lengths[1..]
        };
        let fitting: Vec<String> = self.scope.iter().filter(|v| is_like(&v.ty)).map(|v| v.name.clone()).collect();
        let second = &fitting[self.choices.below(fitting.len())];
        let name = self.fresh("v");
        let mut own = lengths;
        own[0] = format!("size(0, {name})");
        self.scope.push(Variable { name: name.clone(), ty: nested(elem, &own) });
        Some(format!("{name} = concat({first}, {second})"))
    }

    fn source_step(&mut self) -> Option<String> {
        let len = self.length();
        if self.choices.below(2) == 0 {
            return Some(self.bind(Ty::array(Ty::Int, &len), &format!("iota({len})")));
        }
        let rank = self.choices.below(3);
        match self.array_of_rank(rank) {
            Some((inner, elem, lengths)) if rank > 0 => {
                let lengths = [vec![len.clone()], lengths].concat();
                Some(self.bind(nested(elem, &lengths), &format!("replicate({len}, {inner})")))
            }
            _ => {
                let elem = self.scalar_type();
                let value = format!("replicate({len}, {})", self.leaf(&elem));
                Some(self.bind(Ty::array(elem, &len), &value))
            }
        }
    }

    /// A table over two vectors.
    fn outer_step(&mut self) -> Option<String> {
        let (a, one, rows) = self.array_of_rank(1)?;
        let (b, other, columns) = self.array_of_rank(1)?;
        let result = self.scalar_type();
        let x = self.fresh("p");
        let (list, body) = self.under_variable(&x, &one, |g| g.under(&[other], |g| g.expression(&result, 2)));
        let ty = result.source();
        let value = format!("map(fn [{ty}] ({} {x}) => map(fn {ty} ({list}) => {body}, {b}), {a})", one.source());
        Some(self.bind(nested(result, &[rows, columns].concat()), &value))
    }

    /// A map with several results.
    fn several_step(&mut self) -> Option<String> {
        let (array, elem, lengths) = self.array_of_rank(1)?;
        let parts = [self.scalar_type(), self.scalar_type()];
        let (list, cells) =
            self.under(std::slice::from_ref(&elem), |g| parts.clone().map(|part| g.expression(&part, 2)));
        let names = [self.fresh("v"), self.fresh("v")];
        let tuple = Ty::Tuple(parts.to_vec()).source();
        for (name, part) in names.iter().zip(parts) {
            self.scope.push(Variable { name: name.clone(), ty: nested(part, &lengths) });
        }
        Some(format!("{{{}}} = unzip(map(fn {tuple} ({list}) => {{{}}}, {array}))", names.join(", "), cells.join(", ")))
    }

    /// An array that is mapped in one branch, or in both.
    fn branch_step(&mut self) -> Option<String> {
        let (array, elem, lengths) = self.array_of_rank(1)?;
        let cond = self.expression(&Ty::Bool, 2);
        let ty = elem.source();
        let (list, body) = self.under(std::slice::from_ref(&elem), |g| g.expression(&elem, 2));
        let yes = format!("map(fn {ty} ({list}) => {body}, {array})");
        let no = match self.choices.below(2) {
            0 => array,
            _ => {
                let (list, body) = self.under(std::slice::from_ref(&elem), |g| g.expression(&elem, 1));
                format!("map(fn {ty} ({list}) => {body}, {array})")
            }
        };
        Some(self.bind(nested(elem, &lengths), &format!("if {cond} then {yes} else {no}")))
    }

    /// An array mapped again and again.
    fn loop_step(&mut self) -> Option<String> {
        let (array, elem, lengths) = self.array_of_rank(1)?;
        let (carried, index, ty) = (self.fresh("x"), self.fresh("i"), elem.source());
        let count = self.choices.of(&["3", "0", "1", "2"]);
        let (list, body) =
            self.under_variable(&index, &Ty::Int, |g| g.under(std::slice::from_ref(&elem), |g| g.expression(&elem, 2)));
        let name = self.fresh("v");
        self.scope.push(Variable { name: name.clone(), ty: nested(elem, &lengths) });
        let next = format!("map(fn {ty} ({list}) => {body}, {carried})");
        Some(format!("{name} = (loop ({carried} = {array}) = for {index} < {count} do {next} in {carried})"))
    }
}

/// The elements and the lengths of an array, outermost first; no length for what is none.
fn flattened(ty: &Ty) -> (Ty, Vec<String>) {
    match ty {
        Ty::Array(row, len) => {
            let (elem, inner) = flattened(row);
            (elem, [vec![len.clone()], inner].concat())
        }
        Ty::Int | Ty::Real | Ty::Bool | Ty::Tuple(_) => (ty.clone(), Vec::new()),
    }
}

/// The array of these elements with these lengths.
fn nested(elem: Ty, lengths: &[String]) -> Ty {
    lengths.iter().rev().fold(elem, |row, len| Ty::array(row, len))
}
