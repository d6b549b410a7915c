//! Sizes in reports: short names, what they stand for, their values where those are given, and amounts as polynomials in them.

use super::computed::{self, Computed};
use crate::error::Error;
use frit_fuse::array::traffic::{Count, SizeNames, Sizes};
use frit_ir::array::{Extent, Func, Operand, Type};
use frit_ir::{Const, Scalar, Tensor};
use frit_support::poly::{Monomial, Poly};
use frit_support::{SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes, elements or operations, as a polynomial in named sizes.
pub type Amount = Poly<String>;

/// What sizes of arrays are called, in this order, where the source has no names for them.
const LETTERS: [&str; 10] = ["n", "m", "k", "l", "p", "q", "r", "s", "t", "u"];

/// A size that a report mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its name in polynomials.
    pub name: String,
    /// What it is: `size(0, a)`, or again its name if that is one of the source. Of a size that the program computes: what dumps
    /// call it.
    pub is: String,
    /// Its value, if it was given.
    pub value: Option<i64>,
}

/// The names of sizes in one report.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// All sizes that have a name, in the order of naming.
    sizes: Vec<Size>,
    /// Where they are in the list, by what they are.
    places: BTreeMap<String, usize>,
    /// Words of the source, so that letters are not mistaken for them.
    taken: BTreeSet<String>,
    used: BTreeSet<usize>,
    computed: Computed,
    /// What each size is nearly, in sizes that the source has.
    rough: Vec<Amount>,
}

/// One function's sizes under the report's names.
#[derive(Debug)]
pub(crate) struct FuncSizes {
    names: SizeNames,
    pub(crate) sizes: Sizes,
    /// Put before what its sizes are, to tell them from those of other functions; empty for the entry function.
    prefix: String,
}

impl FuncSizes {
    pub(crate) fn of(func: &Func, is_entry: bool) -> Self {
        let prefix = if is_entry { String::new() } else { format!("{}.", func.name) };
        Self { names: SizeNames::of(func), sizes: Sizes::of(func), prefix }
    }
}

impl Naming {
    /// The names for a program whose entry function is `entry`. Its sizes are named first, in order.
    pub(crate) fn of(entry: Option<&Func>, sources: &SourceMap) -> Self {
        let mut naming = Self::default();
        if let Some((_, file)) = sources.iter().next() {
            let words = file.text.split(|c: char| !c.is_alphanumeric() && c != '_');
            naming.taken = words.map(str::to_string).collect();
        }
        let Some(func) = entry else { return naming };
        let names = SizeNames::of(func);
        let scalars = func.params.iter().map(|param| param.value).filter(|&v| *func.ty(v) == Type::scalar(Scalar::I64));
        for size in func.sizes.iter().copied().chain(scalars) {
            naming.place(&names.name(size));
        }
        naming
    }

    /// Notes how the sizes of a function are computed.
    pub(crate) fn learn(&mut self, func: &Func, sizes: &FuncSizes) {
        self.computed.learn(func, &|value| format!("{}{}", sizes.prefix, sizes.names.name(value)));
    }

    /// Finds what sizes are nearly, when all functions are known.
    pub(crate) fn settle(&mut self) {
        // What it finds may mention more sizes, which are then settled too.
        while self.rough.len() < self.sizes.len() {
            let rough = self.computed.roughly(&self.sizes[self.rough.len()].is);
            let rough = rough.rename(|is| {
                let place = self.place(is);
                self.sizes[place].name.clone()
            });
            self.rough.push(rough);
        }
    }

    /// The largest terms of an amount, in sizes that the source has.
    pub(crate) fn roughly(&self, amount: &Amount) -> Amount {
        let rough = |name: &String| {
            let place = self.sizes.iter().position(|size| size.name == *name)?;
            self.rough.get(place).cloned()
        };
        computed::leading(&amount.replace(rough))
    }

    /// Where the program computes a size, if that is known; `None` for one that it is given.
    pub(crate) fn computed_at(&self, size: &Size) -> Option<Option<Span>> {
        (!computed::is_of_source(&size.is)).then(|| self.computed.span(&size.is))
    }

    fn place(&mut self, is: &str) -> usize {
        if let Some(&place) = self.places.get(is) {
            return place;
        }
        let is_own = computed::is_of_source(is) && !is.contains("size(");
        let name = if is_own { is.to_string() } else { self.letter() };
        self.taken.insert(name.clone());
        self.sizes.push(Size { name, is: is.to_string(), value: None });
        self.places.insert(is.to_string(), self.sizes.len() - 1);
        self.sizes.len() - 1
    }

    /// A letter that is nothing's name yet, if need be with a number.
    fn letter(&self) -> String {
        let numbered = |round: usize, letter: &str| {
            if round == 1 { letter.to_string() } else { format!("{letter}{round}") }
        };
        (1..)
            .flat_map(|round| LETTERS.iter().map(move |letter| numbered(round, letter)))
            .find(|name| !self.taken.contains(name))
            .expect("there are more numbers than names")
    }

    /// The short name of a size, which the report then explains.
    pub(crate) fn name(&mut self, is: &str) -> String {
        let place = self.place(is);
        self.used.insert(place);
        self.sizes[place].name.clone()
    }

    /// A polynomial in a function's values, under the report's names.
    pub(crate) fn amount(&mut self, func: &FuncSizes, count: &Count) -> Amount {
        count.rename(|&size| self.name(&format!("{}{}", func.prefix, func.names.name(size))))
    }

    /// A type, as `f64[n, m]`.
    pub(crate) fn ty(&mut self, func: &FuncSizes, ty: &Type) -> String {
        if ty.is_scalar() { ty.elem.to_string() } else { format!("{}[{}]", ty.elem, self.shape(func, &ty.shape)) }
    }

    /// Extents, as `n, m`.
    pub(crate) fn shape(&mut self, func: &FuncSizes, shape: &[Extent]) -> String {
        let extents = shape.iter().map(|&extent| self.operand(func, extent.into()));
        extents.collect::<Vec<_>>().join(", ")
    }

    /// An integer, as `n - 1`.
    pub(crate) fn operand(&mut self, func: &FuncSizes, operand: Operand) -> String {
        text(&self.amount(func, &func.sizes.poly(operand)))
    }

    /// All sizes that have a name.
    pub(crate) fn all(&self) -> &[Size] {
        &self.sizes
    }

    /// The sizes that the report mentions.
    pub(crate) fn mentioned(&self) -> Vec<Size> {
        self.used.iter().map(|&place| self.sizes[place].clone()).collect()
    }

    /// Gives values to sizes, as in `n=1000,size(1, a)=50`.
    ///
    /// # Errors
    ///
    /// That is no such list, or there is no such size.
    pub(crate) fn give(&mut self, list: &str) -> Result<(), Error> {
        for (name, value) in items(list)? {
            let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let wanted = as_named(&plain(name));
            match self.sizes.iter_mut().find(|size| size.name == wanted || plain(&size.is) == wanted) {
                Some(size) => size.value = Some(value),
                None => return Err(self.no_such_size(name)),
            }
        }
        Ok(())
    }

    fn no_such_size(&self, name: &str) -> Error {
        let describe = |size: &Size| {
            if size.name == size.is { size.name.clone() } else { format!("{} (that is {})", size.name, size.is) }
        };
        let all: Vec<String> =
            self.sizes.iter().filter(|size| computed::is_of_source(&size.is)).map(describe).collect();
        let known = if all.is_empty() { "it has none".to_string() } else { format!("they are {}", all.join(", ")) };
        Error::usage(format!("the program has no size `{name}`; {known}"))
    }

    /// Gives the sizes of the entry function the values that they have for these arguments.
    pub(crate) fn give_arguments(&mut self, func: &Func, arguments: &[Tensor]) {
        let names = SizeNames::of(func);
        let mut give = |name: String, value: i64| {
            if let Some(&place) = self.places.get(&name) {
                self.sizes[place].value = Some(value);
            }
        };
        for (param, argument) in func.params.iter().zip(arguments) {
            if let Some(Const::Int(_, value)) = argument.as_scalar() {
                give(names.name(param.value), value);
            }
            for (extent, &length) in func.ty(param.value).shape.iter().zip(argument.shape()) {
                if let Extent::Value(size) = extent {
                    give(names.name(*size), length as i64);
                }
            }
        }
    }

    /// The number that an amount is, if the values of all its sizes are given.
    pub(crate) fn evaluate(&self, amount: &Amount) -> Option<i128> {
        let given = |is: &str| self.sizes.get(*self.places.get(is)?)?.value;
        let value = |name: &String| {
            let size = self.sizes.iter().find(|size| size.name == *name)?;
            self.computed.value(&size.is, &given)
        };
        amount.terms().try_fold(0i128, |sum, (monomial, coefficient)| {
            let product = monomial.powers().iter().try_fold(i128::from(coefficient), |product, (name, exponent)| {
                product.checked_mul(i128::from(value(name)?).checked_pow(*exponent)?)
            })?;
            sum.checked_add(product)
        })
    }
}

/// `size(0,a)` for `a.shape[0]` and `shape(a)[0]`, as other languages have it.
fn as_named(size: &str) -> String {
    let extent = size.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let array = |text: &str| {
        let in_sac = text.strip_prefix("shape(").and_then(|rest| rest.strip_suffix(')'));
        text.strip_suffix(".shape").or(in_sac).map(str::to_string)
    };
    match extent.and_then(|(text, axis)| Some((array(text)?, axis))) {
        Some((array, axis)) => format!("size({axis},{array})"),
        None => size.to_string(),
    }
}

/// Names and values of sizes in a list as `n=1000,size(1, a)=50`.
///
/// # Errors
///
/// That is no such list.
pub fn items(list: &str) -> Result<Vec<(&str, i64)>, Error> {
    let item = |item| -> Result<(&str, i64), Error> {
        let wrong = || Error::usage(format!("`{}` in `--sizes` is not of the form NAME=NUMBER", str::trim(item)));
        let (name, value) = item.rsplit_once('=').ok_or_else(wrong)?;
        let value = value.trim().parse::<i64>().map_err(|_| wrong())?;
        if value < 0 {
            return Err(Error::usage(format!("`{}` in `--sizes`: no size is negative", str::trim(item))));
        }
        Ok((name.trim(), value))
    };
    split(list).into_iter().map(item).collect()
}

/// The items of a list, at the commas that are in no parentheses.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0i32, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&list[start..]);
    items
}

/// An amount as people write it: the terms of the highest degree first.
pub fn text(amount: &Amount) -> String {
    let mut terms: Vec<(&Monomial<String>, i64)> = amount.terms().collect();
    terms.sort_by_key(|(monomial, _)| std::cmp::Reverse(monomial.degree()));
    let mut text = String::new();
    for (monomial, coefficient) in terms {
        let single = Amount::term(monomial.clone(), coefficient).to_string();
        match (text.is_empty(), single.strip_prefix('-')) {
            (true, _) => text = single,
            (false, Some(positive)) => text += &format!(" - {positive}"),
            (false, None) => text += &format!(" + {single}"),
        }
    }
    if text.is_empty() { "0".into() } else { text }
}

/// The largest terms of an amount that people can read: three at most.
pub fn short_text(amount: &Amount) -> String {
    const TERMS: usize = 3;
    if amount.len() <= TERMS {
        return text(amount);
    }
    let mut terms: Vec<(&Monomial<String>, i64)> = amount.terms().collect();
    terms.sort_by_key(|(_, coefficient)| std::cmp::Reverse(*coefficient));
    let mut largest = Amount::zero();
    terms
        .iter()
        .take(TERMS)
        .for_each(|(monomial, coefficient)| largest.add_term(Monomial::clone(monomial), *coefficient));
    format!("{} + ...", text(&largest))
}

/// A number of bytes for people: `800 bytes`, `16.8 MB`.
pub fn bytes(number: i128) -> String {
    const UNITS: [(i128, &str); 5] = [
        (1_000_000_000_000_000, "PB"),
        (1_000_000_000_000, "TB"),
        (1_000_000_000, "GB"),
        (1_000_000, "MB"),
        (1_000, "kB"),
    ];
    match UNITS.into_iter().find(|(unit, _)| number.abs() >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", number as f64 / unit as f64),
        None => format!("{number} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str) -> Amount {
        Amount::symbol(name.into())
    }

    #[test]
    fn the_highest_degree_comes_first() {
        let (n, m) = (symbol("n"), symbol("m"));
        let amount = &(&n * &m).scale(16) - &n.scale(8) + Amount::constant(3);
        assert_eq!(text(&amount), "16*m*n - 8*n + 3");
        assert_eq!(text(&Amount::zero()), "0");
        assert_eq!(text(&-&n), "-n");
    }

    #[test]
    fn sizes_of_arrays_get_letters_that_are_free() {
        let mut naming = Naming { taken: ["n".to_string()].into(), ..Naming::default() };
        assert_eq!(naming.name("size(0, a)"), "m");
        assert_eq!(naming.name("size(1, a)"), "k");
        assert_eq!(naming.name("size(0, a)"), "m");
        assert_eq!(naming.name("steps"), "steps");
        let names: Vec<String> = naming.mentioned().into_iter().map(|size| size.name).collect();
        assert_eq!(names, ["m", "k", "steps"]);
    }

    #[test]
    fn values_are_given_by_either_name() {
        let mut naming = Naming::default();
        let (n, m) = (naming.name("size(0, a)"), naming.name("size(1, a)"));
        naming.give("n = 1000, size(1,a)=50").expect("both are sizes");
        let amount = (symbol(&n) * symbol(&m)).scale(8) + symbol(&n);
        assert_eq!(naming.evaluate(&amount), Some(401_000));
        assert_eq!(naming.evaluate(&symbol("k")), None);
        naming.give("a.shape[0]=7, shape(a)[1]=8").expect("both are sizes");
        assert_eq!(naming.evaluate(&(symbol(&n) * symbol(&m))), Some(56));
        for wrong in ["n", "n=x", "n=-1", "q=3", ""] {
            assert_eq!(naming.give(wrong).expect_err("it is wrong").exit_code(), 2, "{wrong}");
        }
    }

    #[test]
    fn bytes_are_shown_in_units() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(16_800_000), "16.8 MB");
        assert_eq!(bytes(-2_000), "-2.0 kB");
    }
}
