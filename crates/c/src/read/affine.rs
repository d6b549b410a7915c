//! Integer expressions over loop variables and parameters, and conditions on them: polynomials whose atoms may be divisions, minima and choices.
//!
//! Whether such an expression is affine is asked when its text for isl is made: only then is it known what becomes of products. Products of parameters are
//! parameters of their own. This module knows no syntax. Read `convert` next.

use frit_scop::Param;
use frit_support::{Monomial, Poly, Table};
use std::collections::BTreeMap;

/// What polynomials are made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// The variable of the loop at this depth.
    Var(usize),
    /// A parameter.
    Param(Param),
    /// A function of others.
    Quasi(Box<Quasi>),
}

/// A function that is affine in pieces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Quasi {
    /// The quotient by a positive constant, rounded down.
    Div(Expr, i64),
    /// The remainder for a positive constant, not negative.
    Mod(Expr, i64),
    /// The smaller one.
    Min(Expr, Expr),
    /// The larger one.
    Max(Expr, Expr),
    /// The first if the condition holds, else the second.
    Select(Cond, Expr, Expr),
}

/// An integer expression.
pub(crate) type Expr = Poly<Atom>;

/// A condition on integers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cond {
    /// It holds always, or never.
    Holds(bool),
    /// The expression is at least 0.
    NonNegative(Expr),
    /// The expression is 0.
    Zero(Expr),
    /// All hold.
    And(Vec<Cond>),
    /// One of them holds.
    Or(Vec<Cond>),
    /// It does not hold.
    Not(Box<Cond>),
}

/// How a parameter is written, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamText {
    /// An expression that needs no parentheses.
    pub(crate) text: String,
    /// Its type; empty where it is not known.
    pub(crate) c_type: String,
    /// No arithmetic on it wraps round.
    pub(crate) is_plain: bool,
    /// Its value is never negative.
    pub(crate) is_unsigned: bool,
    /// What it is the product of, if it is one.
    pub(crate) factors: Vec<Param>,
    /// What it is the quotient of, if it is one.
    pub(crate) quotient: Option<Quotient>,
    /// The steps that it counts, if it does.
    pub(crate) steps: Option<Steps>,
}

/// The number of multiples of a parameter, if that is positive, from 0 to a limit: how often a loop runs whose step is the parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// The limit; there are no multiples if it is negative.
    pub(crate) most: Expr,
    /// The parameter, or another expression.
    pub(crate) step: Expr,
}

/// The quotient of parameters, rounded towards 0 as C does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quotient {
    /// What is divided.
    pub(crate) expr: Expr,
    /// The divisor, positive.
    pub(crate) by: i64,
}

/// The parameters of a region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params {
    /// In the order in which they were met.
    pub(crate) all: Table<Param, ParamText>,
    /// Somewhere in the region sizes are computed in 64 bits, so that products of parameters are made in 64 bits.
    pub(crate) is_wide: bool,
    /// The parameters that have only a few values together, by their columns in the rows of these.
    pub(crate) columns: BTreeMap<usize, Param>,
    /// The values, a row for each time.
    pub(crate) values: Vec<Vec<i64>>,
}

impl Params {
    /// The parameter of this text.
    pub(crate) fn of(&mut self, param: ParamText) -> Param {
        let known = self.all.iter().find(|(_, known)| known.text == param.text);
        known.map(|(known, _)| known).unwrap_or_else(|| self.all.push(param))
    }

    /// The parameter that a product of parameters is.
    pub(crate) fn product(&mut self, monomial: &Monomial<Atom>) -> Option<Param> {
        let mut factors = Vec::new();
        for (atom, exponent) in monomial.powers() {
            let Atom::Param(param) = atom else { return None };
            factors.extend((0..*exponent).map(|_| *param));
        }
        if let [one] = factors[..] {
            return Some(one);
        }
        if let Some((known, _)) = self.all.iter().find(|(_, known)| known.factors == factors) {
            return Some(known);
        }
        let written: Vec<&str> = factors.iter().map(|factor| self.all[*factor].text.as_str()).collect();
        let cast = if self.is_wide { "(long)" } else { "" };
        let of_all = |holds: fn(&ParamText) -> bool| factors.iter().all(|factor| holds(&self.all[*factor]));
        let product = ParamText {
            text: format!("({cast}{})", written.join(" * ")),
            c_type: if self.is_wide { "long".to_string() } else { self.all[factors[0]].c_type.clone() },
            is_plain: of_all(|factor| factor.is_plain),
            is_unsigned: of_all(|factor| factor.is_unsigned),
            factors,
            quotient: None,
            steps: None,
        };
        Some(self.all.push(product))
    }

    /// The quotient of parameters by a positive number, rounded towards 0: what divides without a remainder, or else a parameter of its own, since
    /// such numbers are strides of arrays, too.
    pub(crate) fn quotient(&mut self, expr: &Expr, by: i64) -> Option<Expr> {
        if expr.terms().all(|(_, coefficient)| coefficient % by == 0) {
            return super::delinearise::quotient(expr, &Expr::constant(by));
        }
        let is_it =
            |data: &ParamText| data.quotient.as_ref().is_some_and(|known| known.expr == *expr && known.by == by);
        if let Some((known, _)) = self.all.iter().find(|(_, data)| is_it(data)) {
            return Some(Expr::symbol(Atom::Param(known)));
        }
        let text = self.c_text(expr)?;
        let parts: Vec<&ParamText> = expr
            .symbols()
            .into_iter()
            .filter_map(|atom| if let Atom::Param(param) = atom { Some(&self.all[*param]) } else { None })
            .collect();
        let c_type = parts.first()?.c_type.clone();
        let is_plain = parts.iter().all(|part| part.is_plain && part.c_type == c_type);
        let is_unsigned = expr.terms().all(|(_, factor)| factor > 0) && parts.iter().all(|part| part.is_unsigned);
        let is_atom = parts.iter().any(|part| part.text == text);
        let param = self.all.push(ParamText {
            text: if is_atom { format!("({text} / {by})") } else { format!("(({text}) / {by})") },
            c_type: if is_plain { c_type } else { String::new() },
            is_plain,
            is_unsigned,
            factors: Vec::new(),
            quotient: Some(Quotient { expr: expr.clone(), by }),
            steps: None,
        });
        Some(Expr::symbol(Atom::Param(param)))
    }

    /// The expression in isl's notation; `None` if it is not affine.
    pub(crate) fn expr(&mut self, expr: &Expr) -> Option<String> {
        let mut text = String::new();
        for (monomial, coefficient) in expr.terms() {
            let sign = if coefficient < 0 { " - " } else { " + " };
            text += if text.is_empty() { if coefficient < 0 { "-" } else { "" } } else { sign };
            let size = coefficient.unsigned_abs();
            let factor = self.monomial(monomial)?;
            match factor {
                None => text += &size.to_string(),
                Some(factor) if size == 1 => text += &factor,
                Some(factor) => text += &format!("{size} * {factor}"),
            }
        }
        Some(if text.is_empty() { "0".to_string() } else { text })
    }

    /// `None` within for the monomial 1.
    fn monomial(&mut self, monomial: &Monomial<Atom>) -> Option<Option<String>> {
        match monomial.powers() {
            [] => Some(None),
            [(Atom::Var(depth), 1)] => Some(Some(format!("i{depth}"))),
            [(Atom::Quasi(quasi), 1)] => Some(Some(self.quasi(quasi)?)),
            _ => Some(Some(self.product(monomial)?.to_string())),
        }
    }

    fn quasi(&mut self, quasi: &Quasi) -> Option<String> {
        Some(match quasi {
            Quasi::Div(expr, by) => format!("floor(({}) / {by})", self.expr(expr)?),
            Quasi::Mod(expr, by) => format!("(({}) mod {by})", self.expr(expr)?),
            Quasi::Min(one, two) => format!("min({}, {})", self.expr(one)?, self.expr(two)?),
            Quasi::Max(one, two) => format!("max({}, {})", self.expr(one)?, self.expr(two)?),
            Quasi::Select(cond, one, two) => {
                format!("({} ? {} : {})", self.cond(cond)?, self.expr(one)?, self.expr(two)?)
            }
        })
    }

    /// The expression as a function of the parameters alone, in isl's notation and without the braces: a case for each side of a choice. `None` if it
    /// is not affine.
    pub(crate) fn function(&mut self, expr: &Expr) -> Option<String> {
        let cases = self.cases(expr, Vec::new())?;
        let texts = cases.into_iter().map(|(conds, value)| match &conds[..] {
            [] => format!("[({value})]"),
            _ => format!("[({value})] : {}", conds.join(" and ")),
        });
        Some(texts.collect::<Vec<_>>().join("; "))
    }

    /// The values of an expression without choices, each with the conditions that it has it under, besides those given.
    fn cases(&mut self, expr: &Expr, conds: Vec<String>) -> Option<Vec<(Vec<String>, String)>> {
        let choices = choices(expr);
        let Some(choice) = choices.first() else { return Some(vec![(conds, self.expr(expr)?)]) };
        let Quasi::Select(decides, one, two) = choice else { return None };
        if choices.len() > MOST_CHOICES {
            return None;
        }
        let mut all = Vec::new();
        for (cond, side) in [(decides.clone(), one), (decides.negated(), two)] {
            let cond = format!("({})", self.cond(&cond)?);
            all.extend(self.cases(&chosen(expr, choice, side), [&conds[..], &[cond]].concat())?);
        }
        Some(all)
    }

    /// The expression is affine in pieces.
    pub(crate) fn is_affine(&mut self, expr: &Expr) -> bool {
        self.cond(&Cond::Zero(expr.clone())).is_some()
    }

    /// The condition in isl's notation; `None` if it is not affine.
    pub(crate) fn cond(&mut self, cond: &Cond) -> Option<String> {
        // One case for each side of a choice: isl's own notation for it does not allow every condition.
        if let Cond::NonNegative(expr) | Cond::Zero(expr) = cond
            && let Some(choice) = choices(expr).first()
            && let Quasi::Select(decides, one, two) = choice
        {
            if choices(expr).len() > MOST_CHOICES {
                return None;
            }
            let with = |side: &Expr| {
                let expr = chosen(expr, choice, side);
                if matches!(cond, Cond::Zero(_)) { Cond::Zero(expr) } else { Cond::NonNegative(expr) }
            };
            let first = Cond::And(vec![decides.clone(), with(one)]);
            let second = Cond::And(vec![decides.negated(), with(two)]);
            return self.cond(&Cond::Or(vec![first, second]));
        }
        Some(match cond {
            Cond::Holds(true) => "0 = 0".to_string(),
            Cond::Holds(false) => "0 = 1".to_string(),
            Cond::NonNegative(expr) => format!("{} >= 0", self.expr(expr)?),
            Cond::Zero(expr) => format!("{} = 0", self.expr(expr)?),
            Cond::Not(cond) => format!("not ({})", self.cond(cond)?),
            Cond::And(all) | Cond::Or(all) => {
                let word = if matches!(cond, Cond::And(_)) { " and " } else { " or " };
                if all.is_empty() {
                    return self.cond(&Cond::Holds(matches!(cond, Cond::And(_))));
                }
                let texts: Option<Vec<String>> =
                    all.iter().map(|cond| Some(format!("({})", self.cond(cond)?))).collect();
                texts?.join(word)
            }
        })
    }

    /// The parameters in front of a set or relation, `[p0, p1] -> `.
    pub(crate) fn prefix(&self) -> String {
        let names: Vec<String> = self.all.indices().map(|param| param.to_string()).collect();
        if names.is_empty() { String::new() } else { format!("[{}] -> ", names.join(", ")) }
    }

    /// An expression in parameters alone, in C.
    pub(crate) fn c_text(&mut self, expr: &Expr) -> Option<String> {
        let mut text = String::new();
        // What is added comes before what is subtracted.
        let (more, less): (Vec<_>, Vec<_>) = expr.terms().rev().partition(|(_, coefficient)| *coefficient > 0);
        for (monomial, coefficient) in more.into_iter().chain(less) {
            text += match (text.is_empty(), coefficient < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let size = coefficient.unsigned_abs();
            if monomial.is_one() {
                text += &size.to_string();
                continue;
            }
            let param = self.product(monomial)?;
            if size != 1 {
                text += &format!("{size} * ");
            }
            text += &self.all[param].text;
        }
        Some(if text.is_empty() { "0".to_string() } else { text })
    }
}

/// The variables of loops and functions in a monomial, with their number, and what the parameters in it are.
pub(crate) fn split(monomial: &Monomial<Atom>) -> (Vec<Atom>, Monomial<Atom>) {
    let (mut moving, mut fixed) = (Vec::new(), Monomial::one());
    for (atom, exponent) in monomial.powers() {
        for _ in 0..*exponent {
            match atom {
                Atom::Param(_) => fixed = fixed.times(&Monomial::symbol(atom.clone())),
                _ => moving.push(atom.clone()),
            }
        }
    }
    (moving, fixed)
}

/// Conditions on expressions of more choices are taken for not affine: there are twice as many cases for each.
const MOST_CHOICES: usize = 6;

/// The choices in an expression, without those in their conditions, outer ones first.
pub(crate) fn choices(expr: &Expr) -> Vec<Quasi> {
    let mut found: Vec<Quasi> = Vec::new();
    for atom in expr.symbols() {
        let Atom::Quasi(quasi) = atom else { continue };
        match &**quasi {
            Quasi::Div(inner, _) | Quasi::Mod(inner, _) => found.extend(choices(inner)),
            Quasi::Min(one, two) | Quasi::Max(one, two) => {
                found.extend(choices(one));
                found.extend(choices(two));
            }
            Quasi::Select(_, one, two) => {
                found.push((**quasi).clone());
                found.extend(choices(one));
                found.extend(choices(two));
            }
        }
    }
    found
}

/// The expression where a choice has come to this side.
fn chosen(expr: &Expr, choice: &Quasi, side: &Expr) -> Expr {
    expr.replace(|atom| {
        let Atom::Quasi(quasi) = atom else { return None };
        if **quasi == *choice {
            return Some(side.clone());
        }
        let inner = |expr: &Expr| chosen(expr, choice, side);
        let quasi = match &**quasi {
            Quasi::Div(expr, by) => Quasi::Div(inner(expr), *by),
            Quasi::Mod(expr, by) => Quasi::Mod(inner(expr), *by),
            Quasi::Min(one, two) => Quasi::Min(inner(one), inner(two)),
            Quasi::Max(one, two) => Quasi::Max(inner(one), inner(two)),
            Quasi::Select(cond, one, two) => Quasi::Select(cond.clone(), inner(one), inner(two)),
        };
        Some(Expr::symbol(Atom::Quasi(Box::new(quasi))))
    })
}

/// Whether a loop variable of this depth or deeper takes part.
pub(crate) fn mentions_from(expr: &Expr, depth: usize) -> bool {
    expr.symbols().into_iter().any(|atom| match atom {
        Atom::Var(at) => *at >= depth,
        Atom::Param(_) => false,
        Atom::Quasi(quasi) => match &**quasi {
            Quasi::Div(expr, _) | Quasi::Mod(expr, _) => mentions_from(expr, depth),
            Quasi::Min(one, two) | Quasi::Max(one, two) => mentions_from(one, depth) || mentions_from(two, depth),
            Quasi::Select(cond, one, two) => {
                cond_mentions_from(cond, depth) || mentions_from(one, depth) || mentions_from(two, depth)
            }
        },
    })
}

fn cond_mentions_from(cond: &Cond, depth: usize) -> bool {
    match cond {
        Cond::Holds(_) => false,
        Cond::NonNegative(expr) | Cond::Zero(expr) => mentions_from(expr, depth),
        Cond::Not(cond) => cond_mentions_from(cond, depth),
        Cond::And(all) | Cond::Or(all) => all.iter().any(|cond| cond_mentions_from(cond, depth)),
    }
}

impl Cond {
    /// `one <= two`.
    pub(crate) fn at_most(one: &Expr, two: &Expr) -> Cond {
        Cond::NonNegative(two - one)
    }

    /// `one < two`.
    pub(crate) fn less(one: &Expr, two: &Expr) -> Cond {
        Cond::NonNegative(&(two - one) - &Expr::constant(1))
    }

    /// The negation.
    pub(crate) fn negated(&self) -> Cond {
        match self {
            Cond::Holds(holds) => Cond::Holds(!holds),
            Cond::NonNegative(expr) => Cond::NonNegative(&-expr - &Expr::constant(1)),
            Cond::Not(cond) => (**cond).clone(),
            other => Cond::Not(Box::new(other.clone())),
        }
    }

    /// The conditions that all must hold, one by one.
    pub(crate) fn conjuncts(&self) -> Vec<Cond> {
        match self {
            Cond::And(all) => all.iter().flat_map(Cond::conjuncts).collect(),
            other => vec![other.clone()],
        }
    }
}
