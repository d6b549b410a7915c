//! L0 programs at random that share memory in many ways and consume it: views, views of views, tuples, branches, loops, calls
//! with unique parameters, combinators that update their accumulators or rows. About half of them keep the rules of
//! uniqueness.
//!
//! The maker keeps a rough account of what shares memory with what, and mostly avoids what was consumed; the checker judges.
//! Each program has a twin in which every array is copied wherever it is mentioned: it shares nothing, keeps all rules, and
//! says what the program means.

use frit_support::Random;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A program: functions whose names begin with its prefix; the one with that name is to be called.
#[derive(Clone, Debug)]
pub struct Consuming {
    /// The name of its entry, a function of one integer.
    pub name: String,
    /// What the entry returns.
    pub result: String,
    /// With marks where the twin copies.
    marked: String,
}

impl Consuming {
    /// The program, without `main`.
    pub fn functions(&self) -> String {
        self.with_marks(["", "", " = ", ""], |new, old, is_short| {
            if is_short { format!("let {old}") } else { format!("let {new} = {old} with ") }
        })
    }

    /// The same, but every array is copied where it is mentioned.
    pub fn copying(&self) -> String {
        self.with_marks(["copy(", ")", " <- ", " in v)"], |new, old, _| {
            format!("let {new} = (let u = copy({old}) in let v = u with ")
        })
    }

    /// The text, where `«` and `»` are round what the twin copies, and an update is `⟨new old⟩[index]`, ` <- ` or `‡`, a value, and
    /// `†`.
    fn with_marks(&self, [open, close, stores, end]: [&str; 4], update: impl Fn(&str, &str, bool) -> String) -> String {
        let mut parts = self.marked.split('⟨');
        let mut text = parts.next().unwrap_or_default().to_string();
        for part in parts {
            let (names, rest) = part.split_once('⟩').expect("marks come in pairs");
            let (new, old) = names.split_once(' ').expect("there are two names");
            text += &update(new, old, new == old);
            text += rest;
        }
        text.replace('«', open).replace('»', close).replace('‡', stores).replace('†', end)
    }

    /// What `main` is for some of such functions.
    pub fn main(programs: &[&Consuming]) -> String {
        let results: Vec<&str> = programs.iter().map(|program| &*program.result).collect();
        let calls: Vec<String> = programs.iter().map(|program| format!("{}(n)", program.name)).collect();
        format!("fun {{{}}} main(int n) =\n  {{{}}}\n", results.join(", "), calls.join(", "))
    }
}

/// The types. Extents are part of them, so that no run fails.
#[derive(Clone, Debug, PartialEq)]
enum Ty {
    Int,
    Vector(usize),
    Matrix(usize, usize),
    Pairs(usize),
    Tuple(Vec<Ty>),
}

/// The types of arrays. All are views or parts of one another in some way.
const ARRAYS: [Ty; 5] = [Ty::Vector(2), Ty::Vector(4), Ty::Matrix(2, 2), Ty::Matrix(4, 2), Ty::Pairs(2)];

impl Ty {
    /// The arrays in it, in order.
    fn leaves(&self) -> Vec<Ty> {
        match self {
            Ty::Int => Vec::new(),
            Ty::Tuple(parts) => parts.iter().flat_map(Ty::leaves).collect(),
            array => vec![array.clone()],
        }
    }

    /// As it is written, where the arrays in it are unique as `unique` says.
    fn text(&self, unique: &mut impl Iterator<Item = bool>) -> String {
        let array =
            |text: &str, unique: Option<bool>| if unique == Some(true) { format!("*{text}") } else { text.into() };
        match self {
            Ty::Int => "int".into(),
            Ty::Vector(_) => array("[int]", unique.next()),
            Ty::Matrix(..) => array("[[int]]", unique.next()),
            Ty::Pairs(_) => array("[{int,int}]", unique.next()),
            Ty::Tuple(parts) => {
                format!("{{{}}}", parts.iter().map(|part| part.text(unique)).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

type Memory = BTreeSet<usize>;

/// What is known of an array.
#[derive(Clone, Debug, Default)]
struct Leaf {
    unique: bool,
    memory: Memory,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Ty,
    leaves: Vec<Leaf>,
}

struct Value {
    text: String,
    leaves: Vec<Leaf>,
}

#[derive(Clone)]
struct Signature {
    name: String,
    params: Vec<(Ty, Vec<bool>)>,
    result: Ty,
    unique: Vec<bool>,
}

struct Maker {
    random: Random,
    prefix: String,
    functions: Vec<Signature>,
    scope: Vec<Variable>,
    consumed: Memory,
    /// Memory before this one is of variables that are free in the body being made.
    barrier: usize,
    /// Memory of parameters that are not unique.
    foreign: Memory,
    memories: usize,
    names: usize,
    /// This many of a hundred choices ignore the account.
    careless: usize,
}

/// The program of a seed; its functions have names that begin with `name`.
pub fn program(seed: u64, name: &str) -> Consuming {
    let mut random = Random::new(seed);
    let careless = random.of(&[0, 1, 3, 8]);
    let mut maker = Maker {
        random,
        prefix: name.into(),
        functions: Vec::new(),
        scope: Vec::new(),
        consumed: Memory::new(),
        barrier: 0,
        foreign: Memory::new(),
        memories: 0,
        names: 0,
        careless,
    };
    let mut marked = String::new();
    for at in 0..2 + maker.random.below(2) {
        marked += &maker.function(at);
    }
    maker.clear();
    maker.scope.push(Variable { name: "n".into(), ty: Ty::Int, leaves: Vec::new() });
    let count = 3 + maker.random.below(5);
    let ty = Ty::Tuple(vec![Ty::Int, maker.array_type(), maker.array_type()]);
    let (body, _) = maker.block(&ty, count, 2);
    let result = ty.text(&mut std::iter::empty());
    writeln!(marked, "fun {result} {name}(int n) =\n  {body}").expect("text can be written");
    Consuming { name: name.into(), result, marked }
}

impl Maker {
    fn clear(&mut self) {
        self.scope.clear();
        self.consumed.clear();
        self.foreign.clear();
        (self.barrier, self.memories) = (0, 0);
    }

    fn array_type(&mut self) -> Ty {
        self.random.of(&ARRAYS)
    }

    fn any_type(&mut self) -> Ty {
        match self.random.below(8) {
            0 => Ty::Int,
            1 => Ty::Tuple(vec![self.array_type(), self.array_type()]),
            2 => Ty::Tuple(vec![Ty::Vector(2), Ty::Vector(2)]),
            3 => Ty::Tuple(vec![self.array_type(), Ty::Tuple(vec![Ty::Int, self.array_type()])]),
            _ => self.array_type(),
        }
    }

    fn fresh(&mut self) -> Memory {
        self.memories += 1;
        [self.memories - 1].into()
    }

    fn fresh_leaves(&mut self, ty: &Ty, unique: impl Fn(usize) -> bool) -> Vec<Leaf> {
        let count = ty.leaves().len();
        (0..count).map(|at| Leaf { unique: unique(at), memory: self.fresh() }).collect()
    }

    fn new_name(&mut self) -> String {
        if !self.scope.is_empty() && self.random.one_in(4) {
            let name = self.random.of(&self.scope).name;
            if name != "n" && !name.starts_with('i') {
                return name;
            }
        }
        self.names += 1;
        format!("x{}", self.names)
    }

    fn bind(&mut self, name: &str, ty: &Ty, leaves: Vec<Leaf>) {
        self.scope.retain(|variable| variable.name != name);
        self.scope.push(Variable { name: name.into(), ty: ty.clone(), leaves });
    }

    /// Binds the parts of a value; gives the pattern.
    fn bind_pattern(&mut self, ty: &Ty, leaves: &mut impl Iterator<Item = Leaf>, taken: &mut Vec<String>) -> String {
        if let Ty::Tuple(parts) = ty
            && !self.random.one_in(4)
        {
            let parts: Vec<String> = parts.iter().map(|part| self.bind_pattern(part, leaves, taken)).collect();
            return format!("{{{}}}", parts.join(", "));
        }
        let mine: Vec<Leaf> = leaves.take(ty.leaves().len()).map(|leaf| self.named(leaf)).collect();
        let mut name = self.new_name();
        while taken.contains(&name) {
            self.names += 1;
            name = format!("x{}", self.names);
        }
        taken.push(name.clone());
        self.bind(&name, ty, mine);
        name
    }

    /// An array that shares memory with nothing has memory of its own once it is bound.
    fn named(&mut self, mut leaf: Leaf) -> Leaf {
        if leaf.memory.is_empty() {
            leaf.memory = self.fresh();
        }
        leaf
    }

    fn is_careless(&mut self) -> bool {
        self.careless > 0 && self.random.chance(self.careless)
    }

    fn usable(&self, variable: &Variable) -> bool {
        variable.leaves.iter().all(|leaf| leaf.memory.is_disjoint(&self.consumed))
    }

    fn consumable(&self, leaf: &Leaf) -> bool {
        let is_own = leaf.memory.iter().all(|memory| *memory >= self.barrier && !self.foreign.contains(memory));
        leaf.unique && is_own && leaf.memory.is_disjoint(&self.consumed)
    }

    /// A variable of such a type.
    fn variable(&mut self, is_such: impl Fn(&Ty) -> bool) -> Option<Variable> {
        let careless = self.is_careless();
        let such: Vec<Variable> =
            self.scope.iter().filter(|v| is_such(&v.ty) && (careless || self.usable(v))).cloned().collect();
        (!such.is_empty()).then(|| self.random.recent(&such))
    }

    /// A variable that may be consumed.
    fn victim(&mut self, is_such: impl Fn(&Ty) -> bool) -> Option<Variable> {
        let careless = self.is_careless();
        let fits = |v: &&Variable| is_such(&v.ty) && (careless || v.leaves.iter().all(|leaf| self.consumable(leaf)));
        let such: Vec<Variable> = self.scope.iter().filter(fits).cloned().collect();
        (!such.is_empty()).then(|| self.random.recent(&such))
    }

    fn consume(&mut self, leaf: &Leaf) {
        self.consumed.extend(&leaf.memory);
    }

    // ---- functions

    fn function(&mut self, at: usize) -> String {
        self.clear();
        let count = 1 + self.random.below(3);
        let mut params = Vec::new();
        let mut texts = Vec::new();
        for at in 0..count {
            let ty = if self.random.one_in(4) { self.any_type() } else { self.array_type() };
            let unique: Vec<bool> = ty.leaves().iter().map(|_| self.random.one_in(2)).collect();
            let leaves = self.fresh_leaves(&ty, |at| unique[at]);
            let foreign = leaves.iter().filter(|leaf| !leaf.unique).flat_map(|leaf| leaf.memory.clone());
            self.foreign.extend(foreign.collect::<Vec<_>>());
            let name = format!("a{at}");
            texts.push(format!("{} {name}", ty.text(&mut unique.iter().copied())));
            self.bind(&name, &ty, leaves);
            params.push((ty, unique));
        }
        let result = self.any_type();
        let count = self.random.below(4);
        let (body, leaves) = self.block(&result, count, 2);
        let unique = self.declared(&leaves);
        let name = format!("{}_f{at}", self.prefix);
        let text =
            format!("fun {} {name}({}) =\n  {body}\n", result.text(&mut unique.iter().copied()), texts.join(", "));
        self.functions.push(Signature { name, params, result, unique });
        text
    }

    /// Which parts of a result are declared as unique: mostly those that may be.
    fn declared(&mut self, leaves: &[Leaf]) -> Vec<bool> {
        let mut unique: Vec<bool> = Vec::new();
        for (at, leaf) in leaves.iter().enumerate() {
            let others = leaves.iter().enumerate().filter(|(other, _)| *other != at);
            let apart = others.into_iter().all(|(_, other)| other.memory.is_disjoint(&leaf.memory));
            let is_own = leaf.memory.iter().all(|memory| *memory >= self.barrier && !self.foreign.contains(memory));
            let may_be = leaf.unique && apart && is_own;
            unique.push(if self.is_careless() { self.random.one_in(2) } else { may_be && !self.random.one_in(4) });
        }
        unique
    }

    // ---- statements

    /// Statements and a result; variables bound in it go out of scope.
    fn block(&mut self, ty: &Ty, count: usize, depth: usize) -> (String, Vec<Leaf>) {
        let scope = self.scope.clone();
        let mut text = String::new();
        for _ in 0..count {
            text += &self.statement(depth);
        }
        let result = self.value(ty, depth.min(1));
        text += &result.text;
        self.scope = scope;
        (text, result.leaves)
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.random.below(10) {
            0..=3 => self.update(depth),
            4 if depth > 0 => self.loop_statement(depth - 1),
            5 => match self.call(None, depth) {
                Some((value, ty)) => self.bound(&ty, value),
                None => self.binding(depth),
            },
            _ => self.binding(depth),
        }
    }

    fn binding(&mut self, depth: usize) -> String {
        let ty = self.any_type();
        let value = self.value(&ty, depth);
        self.bound(&ty, value)
    }

    fn bound(&mut self, ty: &Ty, value: Value) -> String {
        if self.random.one_in(12) {
            return format!("let _ = {} in\n  ", value.text);
        }
        let pattern = self.bind_pattern(ty, &mut value.leaves.into_iter(), &mut Vec::new());
        format!("let {pattern} = {} in\n  ", value.text)
    }

    fn update(&mut self, depth: usize) -> String {
        let Some(array) = self.victim(|ty| !matches!(ty, Ty::Int | Ty::Tuple(_))) else { return self.binding(depth) };
        let depth = depth.min(1);
        let (index, value) = match array.ty {
            Ty::Vector(n) => (self.index(n), self.value(&Ty::Int, depth)),
            Ty::Pairs(n) => (self.index(n), self.value(&Ty::Tuple(vec![Ty::Int, Ty::Int]), depth)),
            Ty::Matrix(m, n) if self.random.one_in(2) => {
                (format!("{}, {}", self.index(m), self.index(n)), self.value(&Ty::Int, depth))
            }
            Ty::Matrix(m, n) => (self.index(m), self.value(&Ty::Vector(n), depth)),
            Ty::Int | Ty::Tuple(_) => unreachable!("an array is updated"),
        };
        self.consume(&array.leaves[0]);
        let leaf = Leaf { unique: true, memory: self.fresh() };
        let old = &array.name;
        if self.random.one_in(3) {
            let new = self.new_name();
            self.bind(&new, &array.ty, vec![leaf]);
            let stores = if new == *old { "‡" } else { " <- " };
            format!("⟨{new} {old}⟩[{index}]{stores}{}† in\n  ", value.text)
        } else {
            self.bind(old, &array.ty, vec![leaf]);
            format!("⟨{old} {old}⟩[{index}]‡{}† in\n  ", value.text)
        }
    }

    fn index(&mut self, extent: usize) -> String {
        let counters: Vec<&str> = self.scope.iter().map(|v| &*v.name).filter(|name| name.starts_with('i')).collect();
        match counters.last() {
            Some(counter) if self.random.one_in(2) => format!("{counter} % {extent}"),
            _ => self.random.below(extent).to_string(),
        }
    }

    fn loop_statement(&mut self, depth: usize) -> String {
        let ty = match self.random.below(3) {
            0 => self.array_type(),
            1 => Ty::Tuple(vec![self.array_type(), Ty::Int]),
            _ => {
                let ty = self.array_type();
                Ty::Tuple(vec![ty.clone(), if self.random.one_in(2) { ty } else { self.array_type() }])
            }
        };
        let init = self.value(&ty, depth);
        let (scope, barrier) = (self.scope.clone(), self.barrier);
        self.barrier = self.memories;
        let params: Vec<Leaf> = self.fresh_leaves(&ty, |_| true);
        let own = params.clone();
        let (pattern, names) = self.loop_pattern(&ty, params);
        self.names += 1;
        let counter = format!("i{}", self.names);
        self.scope.push(Variable { name: counter.clone(), ty: Ty::Int, leaves: Vec::new() });
        let count = 1 + self.random.below(2);
        let (body, next) = self.block(&ty, count, depth);
        let consumed: Vec<bool> = own.iter().map(|leaf| !leaf.memory.is_disjoint(&self.consumed)).collect();
        (self.scope, self.barrier) = (scope, barrier);
        let mut after = Vec::new();
        for ((is_consumed, first), next) in consumed.iter().zip(&init.leaves).zip(next) {
            if *is_consumed {
                self.consume(first);
                after.push(Leaf { unique: true, memory: self.fresh() });
            } else {
                let memory = first.memory.union(&next.memory).copied().collect();
                after.push(Leaf { unique: first.unique && next.unique, memory });
            }
        }
        let mut after = after.into_iter();
        let mut leaves_of = |ty: &Ty| -> Vec<Leaf> { after.by_ref().take(ty.leaves().len()).collect() };
        for (name, ty) in &names {
            let leaves = leaves_of(ty).into_iter().map(|leaf| self.named(leaf)).collect();
            self.bind(name, ty, leaves);
        }
        let times = self.random.below(3);
        format!("loop ({pattern} = {}) = for {counter} < {times} do\n  {body} in\n  ", init.text)
    }

    /// Binds loop variables; gives the pattern, and their names and types.
    fn loop_pattern(&mut self, ty: &Ty, leaves: Vec<Leaf>) -> (String, Vec<(String, Ty)>) {
        let parts = match ty {
            Ty::Tuple(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let mut leaves = leaves.into_iter();
        let mut names: Vec<(String, Ty)> = Vec::new();
        for part in &parts {
            self.names += 1;
            let name = format!("x{}", self.names);
            let mine = leaves.by_ref().take(part.leaves().len()).collect();
            self.bind(&name, part, mine);
            names.push((name, part.clone()));
        }
        let list: Vec<&str> = names.iter().map(|(name, _)| &**name).collect();
        let pattern = if matches!(ty, Ty::Tuple(_)) { format!("{{{}}}", list.join(", ")) } else { list.join("") };
        (pattern, names)
    }

    // ---- values

    /// A value of this type. Marks say that the twin copies it.
    fn value(&mut self, ty: &Ty, depth: usize) -> Value {
        let value = self.plain(ty, depth);
        if ty.leaves().is_empty() { value } else { Value { text: format!("«{}»", value.text), ..value } }
    }

    fn plain(&mut self, ty: &Ty, depth: usize) -> Value {
        let of_type = |other: &Ty| other == ty;
        if self.random.one_in(2)
            && let Some(variable) = self.variable(of_type)
        {
            return Value { text: variable.name, leaves: variable.leaves };
        }
        if depth > 0 {
            match self.random.below(10) {
                0 => return self.conditional(ty, depth - 1),
                1 => {
                    let (text, leaves) = self.block(ty, 1, depth - 1);
                    return Value { text: format!("({text})"), leaves };
                }
                2 | 3 => {
                    if let Some((value, _)) = self.call(Some(ty), depth - 1) {
                        return value;
                    }
                }
                4 if *ty != Ty::Int => {
                    let inner = self.value(ty, depth - 1);
                    return Value { text: format!("copy({})", inner.text), leaves: fresh_unique(ty) };
                }
                _ => {}
            }
        }
        let depth = depth.saturating_sub(1);
        match ty {
            Ty::Int => self.int(depth),
            Ty::Vector(n) => self.vector(*n, depth),
            Ty::Matrix(m, n) => self.matrix(*m, *n, depth),
            Ty::Pairs(n) => self.pairs(*n, depth),
            Ty::Tuple(parts) => self.tuple(parts, depth),
        }
    }

    fn conditional(&mut self, ty: &Ty, depth: usize) -> Value {
        let condition = self.int(0).text;
        let before = self.consumed.clone();
        let count = self.random.below(2);
        let (on_true, true_leaves) = self.block(ty, count, depth);
        let by_true = std::mem::replace(&mut self.consumed, before);
        let count = self.random.below(2);
        let (on_false, false_leaves) = self.block(ty, count, depth);
        self.consumed.extend(by_true);
        let join = |(one, other): (&Leaf, &Leaf)| Leaf {
            unique: one.unique && other.unique,
            memory: one.memory.union(&other.memory).copied().filter(|memory| !self.consumed.contains(memory)).collect(),
        };
        let leaves = true_leaves.iter().zip(&false_leaves).map(join).collect();
        Value { text: format!("(if {condition} < 2 then {on_true} else {on_false})"), leaves }
    }

    /// A call of a function, one with this result if that matters.
    fn call(&mut self, wanted: Option<&Ty>, depth: usize) -> Option<(Value, Ty)> {
        let fits = |function: &&Signature| wanted.is_none_or(|ty| function.result == *ty);
        let functions: Vec<Signature> = self.functions.iter().filter(fits).cloned().collect();
        if functions.is_empty() {
            return None;
        }
        let function = self.random.of(&functions);
        let mut passed = Memory::new();
        let mut arguments = Vec::new();
        let mut consumed: Vec<Leaf> = Vec::new();
        for (ty, unique) in &function.params {
            let is_consuming = unique.contains(&true);
            let victim = if is_consuming { self.victim(|other| other == ty) } else { None };
            let argument = match victim {
                Some(variable) => Value { text: format!("«{}»", variable.name), leaves: variable.leaves },
                // Others are mostly not unique.
                None if is_consuming && !self.is_careless() => self.made(ty),
                None => self.value(ty, depth.min(1)),
            };
            for (leaf, unique) in argument.leaves.iter().zip(unique) {
                if *unique {
                    self.consume(leaf);
                    consumed.push(leaf.clone());
                } else {
                    passed.extend(&leaf.memory);
                }
            }
            arguments.push(argument.text);
        }
        let leaf = |&unique: &bool| {
            if unique { Leaf { unique, memory: Memory::new() } } else { Leaf { unique, memory: passed.clone() } }
        };
        let leaves = function.unique.iter().map(leaf).collect();
        let text = format!("{}({})", function.name, arguments.join(", "));
        Some((Value { text, leaves }, function.result.clone()))
    }

    /// A new value.
    fn made(&mut self, ty: &Ty) -> Value {
        let int = self.int(0).text;
        let text = match ty {
            Ty::Int => int,
            Ty::Vector(n) => format!("map(op + ({int}), iota({n}))"),
            Ty::Matrix(m, n) => format!("replicate({m}, map(op + ({int}), iota({n})))"),
            Ty::Pairs(n) => format!("map(fn {{int,int}} (int x) => {{x, {int}}}, iota({n}))"),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.made(part).text).collect();
                format!("{{{}}}", parts.join(", "))
            }
        };
        Value { text, leaves: fresh_unique(ty) }
    }

    fn int(&mut self, depth: usize) -> Value {
        let scalar = |text: String| Value { text, leaves: Vec::new() };
        let literal = self.random.below(5);
        match self.random.below(7) {
            0 => {
                if let Some(v) = self.variable(|ty| matches!(ty, Ty::Int)) {
                    return scalar(v.name);
                }
            }
            1 | 2 => {
                if let Some(Variable { name, ty: Ty::Vector(n), .. }) = self.variable(|ty| matches!(ty, Ty::Vector(_)))
                {
                    return scalar(format!("{name}[{}]", self.index(n)));
                }
            }
            3 => {
                if let Some(Variable { name, ty: Ty::Matrix(m, n), .. }) =
                    self.variable(|ty| matches!(ty, Ty::Matrix(..)))
                {
                    return scalar(format!("{name}[{}, {}]", self.index(m), self.index(n)));
                }
            }
            4 if depth > 0 => {
                let n = self.random.of(&[2, 4]);
                let vector = self.value(&Ty::Vector(n), depth - 1);
                return scalar(format!("reduce(op +, 0, {})", vector.text));
            }
            5 if depth > 0 => {
                let (one, other) = (self.int(depth - 1), self.int(depth - 1));
                return scalar(format!("({} + {})", one.text, other.text));
            }
            6 => {
                if let Some(Variable { name, ty: Ty::Pairs(n), .. }) = self.variable(|ty| matches!(ty, Ty::Pairs(_))) {
                    return scalar(format!("(let {{p, q}} = {name}[{}] in p - q)", self.index(n)));
                }
            }
            _ => {}
        }
        scalar(literal.to_string())
    }

    fn vector(&mut self, n: usize, depth: usize) -> Value {
        let ty = Ty::Vector(n);
        let vector = |text: String, leaf: Leaf| Value { text, leaves: vec![leaf] };
        match self.random.below(9) {
            0 | 1 if n == 2 => {
                if let Some(matrix) = self.variable(|ty| matches!(ty, Ty::Matrix(..))) {
                    let index = self.index(2);
                    return vector(format!("{}[{index}]", matrix.name), matrix.leaves[0].clone());
                }
            }
            0 | 1 => {
                let inner = self.value(&Ty::Matrix(2, 2), depth);
                return vector(format!("reshape((4), {})", inner.text), inner.leaves[0].clone());
            }
            2 => {
                let inner = self.value(&ty, depth);
                return vector(format!("reshape(({n}), {})", inner.text), inner.leaves[0].clone());
            }
            3 if n == 4 => {
                let (one, other) = (self.value(&Ty::Vector(2), depth), self.value(&Ty::Vector(2), depth));
                let unique = one.leaves[0].unique && other.leaves[0].unique;
                return vector(format!("concat({}, {})", one.text, other.text), Leaf { unique, memory: Memory::new() });
            }
            3 if depth > 0 => return self.folded(depth - 1),
            4 => {
                let inner = self.value(&ty, depth);
                let function = self.random.of(&["op + (1)", "fn int (int x) => x * 2 % 7", "op ~"]);
                return vector(format!("map({function}, {})", inner.text), unique_leaf());
            }
            5 => {
                let inner = self.value(&ty, depth);
                return vector(
                    format!("filter(fn bool (int x) => x < 1000000000, {})", inner.text),
                    inner.leaves[0].clone(),
                );
            }
            6 => {
                let inner = self.value(&ty, depth);
                return vector(format!("scan(op +, 0, {})", inner.text), unique_leaf());
            }
            7 if self.random.one_in(2) => {
                let list: Vec<String> = (0..n).map(|_| self.int(0).text).collect();
                return vector(format!("[{}]", list.join(", ")), Leaf::default());
            }
            _ => {}
        }
        self.made(&ty)
    }

    /// A fold of the rows of a matrix, with an accumulator that may be updated.
    fn folded(&mut self, depth: usize) -> Value {
        let rows = self.random.of(&[2, 4]);
        let (start, matrix) = (self.value(&Ty::Vector(2), depth), self.value(&Ty::Matrix(rows, 2), depth));
        let is_unique = start.leaves[0].unique && matrix.leaves[0].unique && self.random.one_in(2);
        let params = [(Ty::Vector(2), is_unique), (Ty::Vector(2), is_unique && self.random.one_in(2))];
        let (function, result) = self.lambda(&params, &Ty::Vector(2), Some(&[is_unique][..]), depth);
        let mut memory = result[0].memory.clone();
        if is_unique {
            self.consume(&start.leaves[0]);
        } else {
            memory.extend(&start.leaves[0].memory);
        }
        if params[1].1 {
            self.consume(&matrix.leaves[0]);
        } else if !result[0].unique {
            memory.extend(&matrix.leaves[0].memory);
        }
        let text = if self.random.one_in(3) {
            let (outer, _) =
                self.lambda(&[params[0].clone(), params[0].clone()], &Ty::Vector(2), Some(&[is_unique][..]), depth);
            format!("redomap({outer}, {function}, {}, {})", start.text, matrix.text)
        } else {
            format!("reduce({function}, {}, {})", start.text, matrix.text)
        };
        Value { text, leaves: vec![Leaf { unique: result[0].unique, memory }] }
    }

    /// An anonymous function, and what is known of its result. `unique` says which arrays of the result are declared as unique.
    fn lambda(
        &mut self,
        params: &[(Ty, bool)],
        result: &Ty,
        unique: Option<&[bool]>,
        depth: usize,
    ) -> (String, Vec<Leaf>) {
        let (scope, barrier) = (self.scope.clone(), self.barrier);
        self.barrier = self.memories;
        let mut texts = Vec::new();
        let mut own = Memory::new();
        for (ty, unique) in params {
            self.names += 1;
            let name = format!("r{}", self.names);
            let leaves = self.fresh_leaves(ty, |_| *unique);
            leaves.iter().for_each(|leaf| own.extend(&leaf.memory));
            if !unique {
                self.foreign.extend(leaves.iter().flat_map(|leaf| leaf.memory.clone()));
            }
            texts.push(format!("{} {name}", ty.text(&mut std::iter::repeat(*unique))));
            self.bind(&name, ty, leaves);
        }
        let count = self.random.below(2);
        let (body, leaves) = self.block(result, count, depth.min(1));
        let declared = match unique {
            Some(unique) => unique.to_vec(),
            None => self.declared(&leaves),
        };
        (self.scope, self.barrier) = (scope, barrier);
        let declared_text = result.text(&mut declared.iter().copied());
        // Of the memory of its parameters the caller knows what it is.
        let leaves = leaves
            .into_iter()
            .zip(&declared)
            .map(|(leaf, unique)| Leaf { unique: *unique, memory: leaf.memory.difference(&own).copied().collect() })
            .collect();
        (format!("fn {declared_text} ({}) => {body}", texts.join(", ")), leaves)
    }

    fn matrix(&mut self, m: usize, n: usize, depth: usize) -> Value {
        let ty = Ty::Matrix(m, n);
        let matrix = |text: String, leaf: Leaf| Value { text, leaves: vec![leaf] };
        match self.random.below(8) {
            0 if m == n => {
                let inner = self.value(&ty, depth);
                let how = self.random.of(&["transpose(", "transpose(0, 1, ", "rearrange((1, 0), "]);
                return matrix(format!("{how}{})", inner.text), inner.leaves[0].clone());
            }
            0 | 1 if m == 2 => {
                let inner = self.value(&Ty::Vector(4), depth);
                return matrix(format!("reshape((2, 2), {})", inner.text), inner.leaves[0].clone());
            }
            0 | 1 => {
                let (one, other) = (self.value(&Ty::Matrix(2, 2), depth), self.value(&Ty::Matrix(2, 2), depth));
                let unique = one.leaves[0].unique && other.leaves[0].unique;
                return matrix(format!("concat({}, {})", one.text, other.text), Leaf { unique, memory: Memory::new() });
            }
            2 => {
                let row = self.value(&Ty::Vector(n), depth);
                return matrix(format!("replicate({m}, {})", row.text), row.leaves[0].clone());
            }
            3 if m == 2 => {
                let (one, other) = (self.value(&Ty::Vector(n), depth), self.value(&Ty::Vector(n), depth));
                let (first, second) = (&one.leaves[0], &other.leaves[0]);
                let memory = first.memory.union(&second.memory).copied().collect();
                let leaf = Leaf { unique: first.unique && second.unique, memory };
                return matrix(format!("[{}, {}]", one.text, other.text), leaf);
            }
            4 if depth > 0 => {
                let inner = self.value(&ty, depth - 1);
                let consumes = inner.leaves[0].unique && self.random.one_in(2);
                let (function, result) = self.lambda(&[(Ty::Vector(n), consumes)], &Ty::Vector(n), None, depth - 1);
                return self.mapped(function, result, inner, consumes);
            }
            5 if depth > 0 => {
                let (function, result) = self.lambda(&[(Ty::Int, false)], &Ty::Vector(n), None, depth - 1);
                let inner = Value { text: format!("iota({m})"), leaves: vec![unique_leaf()] };
                return self.mapped(function, result, inner, false);
            }
            6 if depth > 0 => {
                let (start, rows) = (self.value(&Ty::Vector(n), depth - 1), self.value(&ty, depth - 1));
                let unique = start.leaves[0].unique && rows.leaves[0].unique && self.random.one_in(2);
                let params = [(Ty::Vector(n), unique), (Ty::Vector(n), unique && self.random.one_in(2))];
                let (function, result) = self.lambda(&params, &Ty::Vector(n), Some(&[unique][..]), depth - 1);
                let mut memory = result[0].memory.clone();
                for (leaf, is_consumed) in [(&start.leaves[0], unique), (&rows.leaves[0], params[1].1)] {
                    if is_consumed {
                        self.consume(leaf);
                    } else {
                        memory.extend(&leaf.memory);
                    }
                }
                let text = format!("scan({function}, {}, {})", start.text, rows.text);
                return matrix(text, Leaf { unique: true, memory: if unique { Memory::new() } else { memory } });
            }
            _ => {}
        }
        self.made(&ty)
    }

    fn mapped(&mut self, function: String, result: Vec<Leaf>, inner: Value, consumes: bool) -> Value {
        let mut memory = result[0].memory.clone();
        if consumes {
            self.consume(&inner.leaves[0]);
        } else if !result[0].unique {
            memory.extend(&inner.leaves[0].memory);
        }
        let text = format!("map({function}, {})", inner.text);
        Value { text, leaves: vec![Leaf { unique: result[0].unique, memory }] }
    }

    fn pairs(&mut self, n: usize, depth: usize) -> Value {
        if self.random.one_in(2) {
            let (one, other) = (self.value(&Ty::Vector(n), depth), self.value(&Ty::Vector(n), depth));
            let memory = one.leaves[0].memory.union(&other.leaves[0].memory).copied().collect();
            let text = format!("zip({}, {})", one.text, other.text);
            return Value { text, leaves: vec![Leaf { unique: false, memory }] };
        }
        self.made(&Ty::Pairs(n))
    }

    /// A fold of the rows of two matrices in step, with two accumulators of which some may be updated.
    fn folded_in_step(&mut self, depth: usize) -> Value {
        let (vector, rows) = (Ty::Vector(2), self.random.of(&[2, 4]));
        let starts = [self.value(&vector, depth), self.value(&vector, depth)];
        let matrices = [self.value(&Ty::Matrix(rows, 2), depth), self.value(&Ty::Matrix(rows, 2), depth)];
        let unique =
            [0, 1].map(|at| starts[at].leaves[0].unique && matrices[at].leaves[0].unique && self.random.one_in(2));
        let consumed = unique.map(|unique| unique && self.random.one_in(2));
        let params = [unique[0], unique[1], consumed[0], consumed[1]].map(|unique| (vector.clone(), unique));
        let result = Ty::Tuple(vec![vector.clone(), vector]);
        let (function, leaves) = self.lambda(&params, &result, Some(&unique[..]), depth);
        let mut memory = Memory::new();
        for at in 0..2 {
            for (leaf, is_consumed) in [(&starts[at].leaves[0], unique[at]), (&matrices[at].leaves[0], consumed[at])] {
                if is_consumed {
                    self.consume(leaf);
                } else {
                    memory.extend(&leaf.memory);
                }
            }
            memory.extend(&leaves[at].memory);
        }
        let [starts, matrices] = [&starts, &matrices].map(|two| format!("{}, {}", two[0].text, two[1].text));
        let text = format!("reduceT({function}, {{{starts}}}, {matrices})");
        let leaf = |unique: bool| Leaf { unique, memory: if unique { Memory::new() } else { memory.clone() } };
        Value { text, leaves: unique.map(leaf).to_vec() }
    }

    fn tuple(&mut self, parts: &[Ty], depth: usize) -> Value {
        let halves = parts == [Ty::Vector(2), Ty::Vector(2)];
        match self.random.below(4) {
            3 if halves && depth > 0 => return self.folded_in_step(depth - 1),
            0 if halves => {
                let inner = self.value(&Ty::Vector(4), depth);
                let leaf = &inner.leaves[0];
                return Value { text: format!("split(2, {})", inner.text), leaves: vec![leaf.clone(), leaf.clone()] };
            }
            1 if halves => {
                let inner = self.value(&Ty::Pairs(2), depth);
                let leaf = &inner.leaves[0];
                return Value { text: format!("unzip({})", inner.text), leaves: vec![leaf.clone(), leaf.clone()] };
            }
            2 if parts == [Ty::Matrix(2, 2), Ty::Matrix(2, 2)] && depth > 0 => {
                let inner = self.value(&Ty::Matrix(2, 2), depth - 1);
                let consumes = inner.leaves[0].unique && self.random.one_in(2);
                let result = Ty::Tuple(vec![Ty::Vector(2), Ty::Vector(2)]);
                let (function, leaves) = self.lambda(&[(Ty::Vector(2), consumes)], &result, None, depth - 1);
                if consumes {
                    self.consume(&inner.leaves[0]);
                }
                let leaf = |leaf: Leaf| {
                    let rows = inner.leaves[0].memory.iter().copied().filter(|_| !leaf.unique && !consumes);
                    Leaf { unique: leaf.unique, memory: leaf.memory.iter().copied().chain(rows).collect() }
                };
                return Value {
                    text: format!("mapT({function}, {})", inner.text),
                    leaves: leaves.into_iter().map(leaf).collect(),
                };
            }
            _ => {}
        }
        let parts: Vec<Value> = parts.iter().map(|part| self.value(part, depth)).collect();
        let texts: Vec<&str> = parts.iter().map(|part| &*part.text).collect();
        Value {
            text: format!("{{{}}}", texts.join(", ")),
            leaves: parts.iter().flat_map(|part| part.leaves.clone()).collect(),
        }
    }
}

fn unique_leaf() -> Leaf {
    Leaf { unique: true, memory: Memory::new() }
}

fn fresh_unique(ty: &Ty) -> Vec<Leaf> {
    ty.leaves().iter().map(|_| unique_leaf()).collect()
}
