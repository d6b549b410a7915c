//! Dependences between two loops that are to become one: by how many iterations may the second be ahead?
//! Source: \[LLVM\] section 5.3, condition 3; the test is the one of the loop-nest level, on integer sets, and therefore exact
//! for affine accesses: several loops, any bounds, several dimensions.
//!
//! An iteration `y` of the second loop depends on an iteration `x` of the first if both touch the same bytes. In the fused
//! loop, where the second loop is `s` iterations late, `y` runs after `x` if `x <= y + s`. So what matters is the greatest
//! `x - y`: where it is not positive nothing has to be done, where it is a constant the second loop is shifted by it, where
//! it has no bound the loops stay apart.
//!
//! Read `facts` before: addresses are ScalarEvolution's. See Note [Offsets do not wrap].

use crate::access::{Access, Place, Time};
use crate::facts::{Loop, Scev};
use crate::forms::{Forms, Meaning, Polynomial, Symbol, content};
use crate::options::{Analysis, Options};
use frit_isl::{Context, Set};
use frit_support::{Monomial, Poly};
use std::collections::HashMap;
use std::fmt::Write;

/// The greatest number of iterations by which the first loop's access may be behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distance {
    /// They never touch the same bytes.
    Never,
    /// At most so many iterations, negative if the second access is always later.
    AtMost(i64),
    /// There is no bound.
    Unbounded,
    /// The pointers are unrelated: they may be into the same memory or not.
    Unknown,
}

/// Steps of isl's that one question may take.
const QUOTA: u64 = 400_000;

/// Answers, and what was asked before.
pub(crate) struct Tester {
    context: Context,
    answers: Answers,
    analysis: Analysis,
    /// Alias scopes hold in one iteration only.
    pub(crate) drop_scopes: bool,
    /// What cannot be proved of rows may be assumed, for a check at run time.
    may_assume: bool,
    /// What was assumed for the answer to the last question.
    assumed: Vec<Assumed>,
    /// What is asked of all accesses in the same loops.
    begun: HashMap<Around, Question>,
}

/// Two loops, and the loops in them around an access of each.
type Around = ([Loop; 2], [Vec<Loop>; 2]);

/// A number is at least another one, both signed: the stride of a row and the extent of what is accessed in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Assumed {
    pub(crate) stride: Scev,
    pub(crate) extent: Scev,
}

/// Bits in which assumptions are computed, so that they do not wrap.
const ASSUMED_BITS: u32 = 128;

/// Answers by question.
#[derive(Default)]
pub(crate) struct Answers(HashMap<String, Answer>);

/// Answers that are kept: of some hundred bytes each.
const MOST_ANSWERS: usize = 10_000;

/// What is known of a set of integers: the greatest value of its first dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Empty,
    AtMost(i64),
    Unbounded,
}

impl Tester {
    pub(crate) fn new(options: &Options, answers: Answers) -> Tester {
        Tester {
            context: Context::new(),
            answers,
            analysis: options.analysis,
            drop_scopes: false,
            may_assume: options.runtime_checks,
            assumed: Vec::new(),
            begun: HashMap::new(),
        }
    }

    /// The answers, for another function: the same questions are asked there.
    pub(crate) fn into_answers(self) -> Answers {
        self.answers
    }

    /// The function is looked at anew: with scopes that hold in one iteration only if so said.
    pub(crate) fn look(&mut self, drop_scopes: bool) {
        self.drop_scopes = drop_scopes;
        self.begun.clear();
    }

    /// What the last distance rests on.
    pub(crate) fn take_assumed(&mut self) -> Vec<Assumed> {
        std::mem::take(&mut self.assumed)
    }

    /// The distance between accesses of two loops.
    pub(crate) fn distance(
        &mut self,
        forms: &mut Forms<'_>,
        first: (&Access, Loop),
        second: (&Access, Loop),
    ) -> Distance {
        let facts = forms.facts;
        let ((a, _), (b, _)) = (first, second);
        self.assumed.clear();
        if !facts.may_alias(a, b, self.drop_scopes) {
            return Distance::Never;
        }
        let found = match (&a.place, &b.place) {
            (Some(x), Some(y)) if x.base == y.base && x.fixed_base && y.fixed_base => match (&x.offset, &y.offset) {
                _ if self.analysis == Analysis::Da => Distance::Unbounded,
                (Some(at), Some(other)) => {
                    let apart = at - other;
                    self.offsets(forms, &apart, (x, first), (y, second))
                }
                _ => Distance::Unbounded,
            },
            (Some(_), Some(_)) => Distance::Unknown,
            _ => Distance::Unbounded,
        };
        let ask = matches!(self.analysis, Analysis::Da | Analysis::All);
        if ask && matches!(found, Distance::Unbounded | Distance::Unknown) {
            let dependent = facts.llvm_dependence(a.instruction, b.instruction);
            return if dependent { found } else { Distance::Never };
        }
        found
    }

    /// A loop and code that is executed once, in the same iteration of the loop around both, never touch the same bytes.
    pub(crate) fn are_apart(&mut self, forms: &mut Forms<'_>, (a, of): (&Access, Loop), once: &Access) -> bool {
        let facts = forms.facts;
        let (Some(x), Some(y)) = (&a.place, &once.place) else { return false };
        let exact = matches!(self.analysis, Analysis::Exact | Analysis::All);
        if !exact || x.base != y.base || !x.fixed_base || !facts.is_invariant(y.distance, of) {
            return false;
        }
        let (Some(at), Some(other)) = (&x.offset, forms.of(y.distance, of, of)) else { return false };
        let apart = at - &other;
        let i = forms.iteration(of);
        let mut question = Question::new(forms, (i, of), (i, of));
        for &inner in &a.loops {
            question.bound(forms, inner, of);
        }
        let overlap =
            [false, true].into_iter().find_map(|low| self.overlap(forms, &mut question, &apart, x.size, y.size, low));
        overlap.is_some_and(|conditions| self.ask(&question.set(forms, &conditions)) == Answer::Empty)
    }

    /// The distance between accesses that are offsets from one pointer.
    fn offsets(
        &mut self,
        forms: &mut Forms<'_>,
        apart: &Polynomial,
        (x, (a, first)): (&Place, (&Access, Loop)),
        (y, (b, second)): (&Place, (&Access, Loop)),
    ) -> Distance {
        let (i, j) = (forms.iteration(first), forms.iteration(second));
        let quick = match b.time {
            Time::Iterations => same_step(apart, i, j, x.size, y.size),
            _ => None,
        };
        match quick {
            Some(Distance::Never) => return Distance::Never,
            Some(Distance::AtMost(most)) if most <= 0 => return Distance::AtMost(most),
            _ => {}
        }
        if self.analysis == Analysis::Scev {
            return quick.unwrap_or(Distance::Unbounded);
        }
        let begin = || {
            let mut question = Question::new(forms, (i, first), (j, second));
            for &of in a.loops.iter().chain(&b.loops) {
                question.bound(forms, of, if a.loops.contains(&of) { first } else { second });
            }
            question
        };
        let around = ([first, second], [a.loops.clone(), b.loops.clone()]);
        let mut question = self.begun.entry(around).or_insert_with(begin).clone();
        if b.time == Time::Before {
            // What precedes the second loop is as late as an iteration before its first one.
            question.constraints.push("i1 = -1".into());
        }
        let mut overlap =
            [false, true].into_iter().find_map(|low| self.overlap(forms, &mut question, apart, x.size, y.size, low));
        if overlap.is_none() && self.may_assume {
            let around = (first.parent(), a.loops.iter().chain(&b.loops).copied().collect::<Vec<Loop>>());
            self.assume(forms, &mut question, apart, x.size.max(y.size), &around);
            overlap = self.overlap(forms, &mut question, apart, x.size, y.size, false);
        }
        let answer = match overlap {
            Some(conditions) => self.ask(&question.set(forms, &conditions)),
            None => Answer::Unbounded,
        };
        if answer == Answer::Unbounded {
            self.assumed.clear();
        }
        match (answer, quick) {
            (Answer::Empty, _) => Distance::Never,
            (Answer::AtMost(most), Some(Distance::AtMost(other))) => Distance::AtMost(most.min(other)),
            (Answer::AtMost(most), _) => Distance::AtMost(most),
            (Answer::Unbounded, Some(Distance::AtMost(most))) => Distance::AtMost(most),
            (Answer::Unbounded, _) => Distance::Unbounded,
        }
    }

    /// Assumes that each row is as long as what the loops in it access: `lda >= m` in `a[i * lda + j]` with `j < m`.
    fn assume(
        &mut self,
        forms: &mut Forms<'_>,
        question: &mut Question,
        apart: &Polynomial,
        size: i64,
        (parent, loops): &(Option<Loop>, Vec<Loop>),
    ) {
        let Some(strides) = strides(forms, apart, false) else { return };
        // The loops themselves go from row to row: what a loop goes through element by element is one long row.
        let is_outer = |symbol: &Symbol| forms.loop_of(*symbol).is_some_and(|of| of.parent() == *parent);
        let rows = strides.len().saturating_sub(1);
        if strides[..rows].iter().any(|(_, digit)| digit.symbols().into_iter().any(is_outer)) {
            return;
        }
        for at in 1..strides.len() {
            let Some(ratio) = divide(&strides[at].0, &strides[at - 1].0) else { return };
            let digit = &strides[at - 1].1;
            let size = if at == 1 { size } else { 1 };
            for symbol in digit.symbols().into_iter().copied().collect::<Vec<Symbol>>() {
                let Some(of) = forms.loop_of(symbol).filter(|of| loops.contains(of)) else { continue };
                let within =
                    loops.iter().copied().find(|outer| outer.parent() == *parent && outer.contains(of.header()));
                let Some(count) = within.and_then(|within| forms.count(of, within)) else { continue };
                let Some(count) = self.greatest(forms, count, loops, within) else { continue };
                let factor = digit.coefficient(&Monomial::symbol(symbol)).abs();
                let extent = count.scale(factor) + Poly::constant(size + digit.constant_term().abs());
                let numbers = number(forms, &ratio).zip(number(forms, &extent));
                let texts = question.affine(forms, &ratio).zip(question.affine(forms, &extent));
                let (Some((stride, extent)), Some((ratio, least))) = (numbers, texts) else { continue };
                let assumed = Assumed { stride, extent };
                if !self.assumed.contains(&assumed) {
                    self.assumed.push(assumed);
                    question.constraints.push(format!("{ratio} >= {least}"));
                }
            }
        }
    }

    /// The greatest value of a form over all iterations of these loops, as of `i` in a triangle.
    fn greatest(
        &self,
        forms: &mut Forms<'_>,
        mut form: Polynomial,
        loops: &[Loop],
        within: Option<Loop>,
    ) -> Option<Polynomial> {
        for &of in loops.iter().rev() {
            let iteration = forms.iteration(of);
            let (factor, rest) = form.linear_in(&iteration)?;
            let factor = factor.as_constant()?;
            form = match factor > 0 {
                true => rest + forms.count(of, within?)?.scale(factor),
                false => rest,
            };
        }
        Some(form)
    }

    /// Conditions that hold where bytes `[d, d + size)` and `[0, other)` overlap, as constraints of isl's. Offsets that are
    /// products of iterations and sizes are taken apart into subscripts, if these are proved to stay within their
    /// dimensions: delinearisation. `None` if that is not so.
    fn overlap(
        &mut self,
        forms: &Forms<'_>,
        question: &mut Question,
        apart: &Polynomial,
        size: i64,
        other: i64,
        low: bool,
    ) -> Option<Vec<String>> {
        let strides = strides(forms, apart, low)?;
        let (_, lowest) = strides.first()?;
        // The subscript without a symbolic stride, in bytes.
        let text = question.affine(forms, lowest)?;
        let mut conditions = vec![format!("-{size} < {text} < {other}")];
        let mut bounds: Vec<(String, String)> = Vec::new();
        for (at, (stride, digit)) in strides.iter().enumerate().skip(1) {
            let below = &strides[at - 1].0;
            let ratio = divide(stride, below)?;
            let ratio = question.affine(forms, &ratio)?;
            let lower = question.affine(forms, &strides[at - 1].1)?;
            if at == 1 {
                // No difference of the lowest subscript reaches into the next row.
                bounds.push((format!("{other} - ({ratio}) <= {lower}"), format!("{lower} <= ({ratio}) - {size}")));
            } else {
                bounds.push((format!("-({ratio}) < {lower}"), format!("{lower} < ({ratio})")));
            }
            let digit = question.affine(forms, digit)?;
            conditions.push(format!("{digit} = 0"));
        }
        for (least, most) in bounds {
            for broken in [format!("not ({least})"), format!("not ({most})")] {
                if self.ask(&question.set(forms, &[broken])) != Answer::Empty {
                    return None;
                }
            }
        }
        Some(conditions)
    }

    /// The greatest value of the set's first dimension.
    fn ask(&mut self, set: &str) -> Answer {
        if let Some(&answer) = self.answers.0.get(set) {
            return answer;
        }
        let context = self.context.clone();
        let answer = context.bounded(QUOTA, || -> frit_isl::Result<Answer> {
            let set = Set::parse(&context, set)?;
            if set.is_empty()? {
                return Ok(Answer::Empty);
            }
            let most = set.dim_max_val(0)?;
            if !most.is_int()? {
                return Ok(Answer::Unbounded);
            }
            Ok(most.to_string().parse().map_or(Answer::Unbounded, Answer::AtMost))
        });
        let answer = answer.unwrap_or(Answer::Unbounded);
        if self.answers.0.len() >= MOST_ANSWERS {
            self.answers.0.clear();
        }
        self.answers.0.insert(set.to_string(), answer);
        answer
    }
}

/// A sum of values and a constant as a number of so many bits that it does not wrap.
fn number(forms: &Forms<'_>, form: &Polynomial) -> Option<Scev> {
    let facts = forms.facts;
    let mut sum = facts.number(0, ASSUMED_BITS);
    for (monomial, factor) in form.terms() {
        let factor = facts.number(factor, ASSUMED_BITS);
        let term = match monomial.powers() {
            [] => factor,
            &[(symbol, 1)] => match forms.symbols[symbol] {
                Meaning::Value(value) if facts.bits(value) <= 64 => {
                    facts.times(factor, facts.sign_extend(value, ASSUMED_BITS))
                }
                _ => return None,
            },
            _ => return None,
        };
        sum = facts.plus(sum, term);
    }
    Some(sum)
}

/// The distance where both addresses move by the same constant step with the loops that are compared, and by nothing else.
fn same_step(apart: &Polynomial, i: Symbol, j: Symbol, size: i64, other: i64) -> Option<Distance> {
    let step = apart.coefficient(&Monomial::symbol(i));
    if step + apart.coefficient(&Monomial::symbol(j)) != 0 {
        return None;
    }
    let rest = apart - &(Poly::symbol(i).scale(step) - Poly::symbol(j).scale(step));
    let rest = rest.as_constant()?;
    // step * (x - y) + rest lies between -size and other.
    let (low, high) = (1 - size - rest, other - 1 - rest);
    if step == 0 {
        return Some(if low <= 0 && 0 <= high { Distance::Unbounded } else { Distance::Never });
    }
    let (low, high) = if step > 0 { (low, high) } else { (-high, -low) };
    let (least, most) = ((low + step.abs() - 1).div_euclid(step.abs()), high.div_euclid(step.abs()));
    Some(if least > most { Distance::Never } else { Distance::AtMost(most) })
}

/// The offset as digits of a number with symbolic places, each with its stride: from the place of 1 upwards, each stride a
/// multiple of the one before. What no iteration is multiplied by, as in `a[(i + 1) * n + j]`, belongs to the place whose stride
/// it is a multiple of, or, if `low`, to the lowest one, as in `a[i * n + (n - 1 - j)]`.
fn strides(forms: &Forms<'_>, apart: &Polynomial, low: bool) -> Option<Vec<(Polynomial, Polynomial)>> {
    let mut fixed = apart.clone();
    let mut parts: Vec<(Polynomial, Polynomial)> = vec![(Poly::constant(1), Poly::zero())];
    let symbols: Vec<Symbol> = apart.symbols().into_iter().copied().collect();
    for symbol in symbols.into_iter().filter(|&symbol| forms.loop_of(symbol).is_some()) {
        let (factor, rest) = fixed.linear_in(&symbol)?;
        fixed = rest;
        if factor.symbols().iter().any(|symbol| forms.loop_of(**symbol).is_some()) {
            return None;
        }
        // The stride without its numeric factor, which is the digit's for now.
        let leading = factor.terms().last().map_or(1, |(_, factor)| factor.signum());
        let scale = if factor.is_constant() { factor.as_constant()? } else { content(&factor) * leading };
        let mut stride = Poly::zero();
        for (monomial, factor) in factor.terms() {
            stride.add_term(monomial.clone(), factor / scale);
        }
        match parts.iter_mut().find(|(other, _)| *other == stride) {
            Some((_, digit)) => digit.add_term(Monomial::symbol(symbol), scale),
            None => parts.push((stride, Poly::symbol(symbol).scale(scale))),
        }
    }
    parts.sort_by_key(|(stride, _)| stride.degree());
    for at in (1..parts.len()).rev() {
        let (stride, digit) = &parts[at];
        let scale = content(digit);
        let stride = stride.scale(scale);
        let mut quotient = Poly::zero();
        for (monomial, factor) in digit.terms() {
            quotient.add_term(monomial.clone(), factor / scale);
        }
        let (monomial, leading) = stride.terms().last().map(|(monomial, factor)| (monomial.clone(), factor))?;
        let times = fixed.coefficient(&monomial) / leading;
        if !low && times != 0 {
            fixed -= &stride.scale(times);
            quotient.add_term(Monomial::one(), times);
        }
        parts[at] = (stride, quotient);
    }
    parts[0].1 += &fixed;
    Some(parts)
}

/// The quotient of a stride by a smaller one, if that has one term.
fn divide(stride: &Polynomial, below: &Polynomial) -> Option<Polynomial> {
    let [(other, divisor)] = below.terms().collect::<Vec<_>>()[..] else { return None };
    let mut quotient = Poly::zero();
    for (monomial, factor) in stride.terms() {
        if factor % divisor != 0 {
            return None;
        }
        quotient.add_term(monomial.divided_by(other)?, factor / divisor);
    }
    Some(quotient)
}

/// A set of integers that is being described: first the distance, then iterations; parameters are values.
#[derive(Clone)]
struct Question {
    /// In the order of their appearance, so that questions of one shape have one text.
    iterations: Vec<Symbol>,
    parameters: Vec<Monomial<Symbol>>,
    constraints: Vec<String>,
}

impl Question {
    fn new(forms: &mut Forms<'_>, (i, _): (Symbol, Loop), (j, second): (Symbol, Loop)) -> Question {
        let mut question = Question { iterations: vec![i, j], parameters: Vec::new(), constraints: Vec::new() };
        // Loops around both are in one iteration.
        let mut outer = second.parent();
        while let Some(of) = outer {
            question.bound(forms, of, of);
            outer = of.parent();
        }
        question
    }

    /// An affine form in isl's syntax; products of values become parameters of their own.
    fn affine(&mut self, forms: &Forms<'_>, form: &Polynomial) -> Option<String> {
        let mut text = String::new();
        for (monomial, factor) in form.terms() {
            let iterations = monomial.powers().iter().filter(|(symbol, _)| forms.loop_of(*symbol).is_some()).count();
            let name = if monomial.is_one() {
                "1".to_string()
            } else if iterations == 0 {
                let known = self.parameters.iter().position(|parameter| parameter == monomial);
                let at = known.unwrap_or_else(|| {
                    self.parameters.push(monomial.clone());
                    self.parameters.len() - 1
                });
                format!("p{at}")
            } else if monomial.degree() == 1 {
                self.iteration(monomial.powers()[0].0)
            } else {
                return None;
            };
            let _ = write!(text, "{}{factor} * {name}", if text.is_empty() { "" } else { " + " });
        }
        Some(if text.is_empty() { "0".into() } else { format!("({text})") })
    }

    /// The name of an iteration.
    fn iteration(&mut self, symbol: Symbol) -> String {
        let known = self.iterations.iter().position(|&other| other == symbol);
        let at = known.unwrap_or_else(|| {
            self.iterations.push(symbol);
            self.iterations.len() - 1
        });
        format!("i{at}")
    }

    /// The iterations that a loop has.
    fn bound(&mut self, forms: &mut Forms<'_>, of: Loop, within: Loop) {
        let iteration = forms.iteration(of);
        let name = self.iteration(iteration);
        self.constraints.push(format!("0 <= {name}"));
        let Some(count) = forms.count(of, within) else { return };
        if let Some(text) = self.affine(forms, &count) {
            self.constraints.push(format!("{name} <= {text}"));
            // The loop is entered at all.
            self.constraints.push(format!("0 <= {text}"));
        }
    }

    /// The set, as text.
    fn set(&self, forms: &Forms<'_>, conditions: &[String]) -> String {
        let names =
            |prefix: &str, count: usize| (0..count).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>().join(", ");
        let mut constraints = self.constraints.clone();
        for (at, parameter) in self.parameters.iter().enumerate() {
            if let [(symbol, 1)] = parameter.powers()
                && let Meaning::Value(scev) = forms.symbols[*symbol]
            {
                let (low, high) = forms.facts.range(scev);
                if low > -(1 << 40) {
                    constraints.push(format!("{low} <= p{at}"));
                }
                if high < 1 << 40 {
                    constraints.push(format!("p{at} <= {high}"));
                }
            }
        }
        constraints.extend_from_slice(conditions);
        format!(
            "[{}] -> {{ [d, {}] : d = i0 - i1 and {} }}",
            names("p", self.parameters.len()),
            names("i", self.iterations.len()),
            constraints.join(" and ")
        )
    }
}

// Note [Offsets do not wrap]
//
// ScalarEvolution's offsets are numbers of 64 bits that wrap; the test takes them for integers. Two accesses from one
// pointer that both happen lie in one object, of less than 2^63 bytes, so their offsets differ by less than that, and are
// equal as numbers of 64 bits only if they are equal as integers, unless an offset itself wraps within the iterations that a
// loop has. Steps are below 2^31 here, so that takes more than 2^32 iterations whose accesses lie more than a whole address space
// apart from the first to the last, and all of them in one object. Indices of fewer bits that wrap are extended by an operation that is no recurrence for ScalarEvolution, and
// therefore have no polynomial.
