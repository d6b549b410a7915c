//! What functions of NumPy give that are not compiled, where that follows from the types of the arguments. None of them keeps an argument, and
//! what they give is memory of its own.

use super::callback::Given;
use super::elementwise::{operand_type, shape_of};
use super::item::{Item, Number};
use super::types::{self, Dtype};
use frit_ir::Scalar;
use frit_ir::array::Operand;

/// What is known of a call.
pub(super) struct Known {
    pub given: Given,
    /// The argument that it writes, by position. It writes the argument `out` too.
    pub written: Option<usize>,
}

/// What a function gives, if that is known: `numpy.sort`, or `.sort` for a method.
pub(super) fn known_result(path: &str, items: &[Item], named: &[(String, Item)]) -> Option<Known> {
    let call = Call { items, named };
    if let Some(method) = path.strip_prefix('.') {
        return match items.first()? {
            Item::Array(_) | Item::Complex(_) => match method {
                "sort" | "partition" => Some(Known { given: Given::None, written: Some(0) }),
                "argsort" | "argpartition" => call.sorted("argsort"),
                _ => None,
            },
            Item::Object(_, class) if matches!(class.as_str(), "Generator" | "RandomState") => {
                call.random(method, 1, class == "Generator")
            }
            _ => None,
        };
    }
    if path == "print" {
        return fresh(Given::None);
    }
    let (module, name) = path.rsplit_once('.')?;
    match module {
        "numpy" => call.sorted(name),
        "numpy.linalg" => call.linalg(name),
        "numpy.fft" => call.fft(name),
        "numpy.random" => call.random(name, 0, false),
        _ => None,
    }
}

struct Call<'a> {
    items: &'a [Item],
    named: &'a [(String, Item)],
}

impl Call<'_> {
    /// The argument at this position or with this name, unless it is `None`.
    fn argument(&self, at: usize, name: &str) -> Option<&Item> {
        let by_name = self.named.iter().find(|(key, _)| key == name).map(|(_, item)| item);
        by_name.or_else(|| self.items.get(at)).filter(|item| **item != Item::None)
    }

    /// The element type and number of axes of an array.
    fn array(&self, at: usize, name: &str) -> Option<(Dtype, usize)> {
        match self.argument(at, name)? {
            item @ (Item::Array(_) | Item::Complex(_)) => {
                Some((operand_type(item).dtype(), shape_of(item).len())).filter(|&(_, rank)| rank > 0)
            }
            _ => None,
        }
    }

    /// Only these arguments are given by name.
    fn only(&self, names: &[&str]) -> Option<()> {
        self.named.iter().all(|(name, _)| names.contains(&name.as_str())).then_some(())
    }

    /// True if the axis is given as a number, or not at all; `None` if it is `None`.
    fn has_axis(&self, at: usize) -> bool {
        let by_name = self.named.iter().find(|(key, _)| key == "axis").map(|(_, item)| item);
        !matches!(by_name.or_else(|| self.items.get(at)), Some(Item::None))
    }

    fn sorted(&self, name: &str) -> Option<Known> {
        let is_partition = name.ends_with("partition");
        let at = usize::from(is_partition) + 1;
        match name {
            "sort" | "argsort" | "partition" | "argpartition" => {
                self.only(&["axis", "kind", "stable", "kth"])?;
                let (dtype, rank) = self.array(0, "a")?;
                let dtype = if name.starts_with("arg") { Scalar::I64.into() } else { dtype };
                fresh(Given::value(dtype, if self.has_axis(at) { rank } else { 1 }))
            }
            "unique" => {
                self.only(&[])?;
                let (dtype, _) = self.array(0, "ar")?;
                (self.items.len() == 1).then(|| fresh(Given::value(dtype, 1)))?
            }
            "lexsort" => None,
            _ => None,
        }
    }

    fn linalg(&self, name: &str) -> Option<Known> {
        let (dtype, rank) = self.array(0, "a").filter(|&(_, rank)| rank >= 2)?;
        let inexact = inexact(dtype);
        let real: Dtype = inexact.elem.into();
        let number = |dtype: Dtype| Given::value(dtype, rank - 2);
        let named = |names: &[&str], parts| Given::Tuple(Some(names.iter().map(|&name| name.into()).collect()), parts);
        let is_simple = self.items.len() == 1 && self.named.is_empty();
        match name {
            "solve" => {
                self.only(&["b"])?;
                let (other, other_rank) = self.array(1, "b")?;
                let both = types::common(&[strong(dtype), strong(other)]).dtype();
                // A stack of matrices takes a stack of right sides, or one for all.
                let rank = if other_rank == 1 { rank - 1 } else { rank.max(other_rank) };
                fresh(Given::value(self::inexact(both), rank))
            }
            "inv" | "pinv" => fresh(Given::value(inexact, rank)),
            "cholesky" => fresh(Given::value(inexact, rank)),
            "det" if is_simple => fresh(number(inexact)),
            "slogdet" if is_simple => fresh(named(&["sign", "logabsdet"], vec![number(inexact), number(real)])),
            "eigvalsh" => fresh(Given::value(real, rank - 1)),
            "eigh" => {
                let parts = vec![Given::value(real, rank - 1), Given::value(inexact, rank)];
                fresh(named(&["eigenvalues", "eigenvectors"], parts))
            }
            "qr" if is_simple => {
                fresh(named(&["Q", "R"], vec![Given::value(inexact, rank), Given::value(inexact, rank)]))
            }
            "svd" => {
                self.only(&["full_matrices"])?;
                let parts = [(inexact, rank), (real, rank - 1), (inexact, rank)];
                let parts = parts.map(|(dtype, rank)| Given::value(dtype, rank)).to_vec();
                (self.items.len() <= 2).then(|| fresh(named(&["U", "S", "Vh"], parts)))?
            }
            "matrix_power" if inexact == dtype => fresh(Given::value(dtype, rank)),
            _ => None,
        }
    }

    fn fft(&self, name: &str) -> Option<Known> {
        if matches!(name, "fftfreq" | "rfftfreq") {
            self.only(&["n", "d"])?;
            return fresh(Given::value(Scalar::F64.into(), 1));
        }
        let (dtype, rank) = self.array(0, if name.ends_with("shift") { "x" } else { "a" })?;
        let elem = inexact(dtype).elem;
        let is_complex = match name {
            "fft" | "ifft" | "fft2" | "ifft2" | "fftn" | "ifftn" | "rfft" | "rfft2" | "rfftn" | "ihfft" => true,
            "irfft" | "irfft2" | "irfftn" | "hfft" => false,
            "fftshift" | "ifftshift" => return fresh(Given::value(dtype, rank)),
            _ => return None,
        };
        self.only(&["a", "n", "s", "axis", "axes", "norm"])?;
        fresh(Given::value(Dtype { elem, is_complex }, rank))
    }

    /// A function of `numpy.random`, or a method of a generator: its arguments begin at `first`.
    fn random(&self, name: &str, first: usize, is_generator: bool) -> Option<Known> {
        let real: Dtype = Scalar::F64.into();
        let whole: Dtype = Scalar::I64.into();
        // The position of the size, and how many parameters, which must be numbers, stand before it.
        let (dtype, size) = match name {
            "shuffle" => {
                self.only(&[])?;
                self.array(first, "x")?;
                let is_simple = self.items.len() == first + 1;
                return is_simple.then_some(Known { given: Given::None, written: Some(first) });
            }
            "seed" => return fresh(Given::None),
            "rand" | "randn" => {
                let axes = self.items.len() - first;
                let are_numbers = self.items[first..].iter().all(is_whole);
                return (axes > 0 && are_numbers).then(|| fresh(Given::value(real, axes)))?;
            }
            "permutation" => {
                self.only(&[])?;
                return match self.items.get(first)? {
                    item if is_whole(item) => fresh(Given::value(whole, 1)),
                    _ => self.array(first, "x").and_then(|(dtype, rank)| fresh(Given::value(dtype, rank))),
                };
            }
            "random" | "random_sample" | "standard_normal" | "standard_exponential" | "standard_cauchy" => (real, 0),
            "exponential" | "rayleigh" | "chisquare" | "weibull" | "standard_t" | "standard_gamma" => (real, 1),
            "normal" | "uniform" | "laplace" | "logistic" | "lognormal" | "gumbel" | "gamma" | "beta" => (real, 2),
            "poisson" | "geometric" => (whole, 1),
            "binomial" => (whole, 2),
            "integers" if is_generator => (whole, 2),
            "randint" if !is_generator => (whole, 2),
            _ => return None,
        };
        self.only(&["size", "loc", "scale", "low", "high", "lam", "p", "n", "a", "b", "shape", "mean", "sigma"])?;
        let parameters = self.items.iter().skip(first).take(size);
        let by_name = self.named.iter().filter(|(name, _)| name != "size").map(|(_, item)| item);
        let is_number = |item: &Item| matches!(item, Item::Number(_) | Item::None);
        if !parameters.chain(by_name).all(is_number) || self.items.len() > first + size + 1 {
            return None;
        }
        let rank = match self.argument(first + size, "size")? {
            item if is_whole(item) => 1,
            Item::Tuple(items) => items.len(),
            Item::Named(names, items) if names.is_empty() => items.len(),
            _ => return None,
        };
        (rank > 0).then(|| fresh(Given::value(dtype, rank)))?
    }
}

fn fresh(given: Given) -> Option<Known> {
    Some(Known { given, written: None })
}

fn is_whole(item: &Item) -> bool {
    matches!(item, Item::Number(Number { elem, x: Operand::Const(_) | Operand::Value(_), .. }) if elem.is_integer())
}

fn strong(dtype: Dtype) -> types::Operand {
    types::Operand { elem: dtype.elem, is_complex: dtype.is_complex, weak: false }
}

/// The type in which linear algebra and transforms are computed.
fn inexact(dtype: Dtype) -> Dtype {
    let elem = if dtype.elem == Scalar::F32 { Scalar::F32 } else { Scalar::F64 };
    Dtype { elem, ..dtype }
}
