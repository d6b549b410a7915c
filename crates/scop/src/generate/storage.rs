//! Where the elements of arrays are: subscripts in the new variables, modulo the sizes of windows, or numbers of registers.
//!
//! That elements may share storage was proved by contraction. What is proved here is only what depends on the generated loops: that registers
//! can move on with a loop, and whether a remainder needs an operation, and which.

use std::collections::{BTreeMap, BTreeSet};

use frit_isl::{Aff, Dim, Map, PwAff, PwMultiAff, Set, UnionMap, Val};
use frit_support::{Index, Table};

use super::Error;
use super::copies::Nest;
use crate::model::{AccessKind, Array, Param, Scop, Statement};
use crate::program::{BinOp, Expr, Fate};

/// Registers beyond this many become a window.
const MAX_REGISTERS: i64 = 16;

/// The accesses of a nest by array: the statement, and the position among its accesses.
pub(super) type Accesses = BTreeMap<Array, Vec<(Statement, usize)>>;

/// The accesses of a region as functions, and what becomes of its arrays.
pub(super) struct Storage<'a> {
    scop: &'a Scop,
    /// What becomes of each array.
    pub fates: Table<Array, Fate>,
    /// How many accesses there are to each array.
    uses: BTreeMap<Array, usize>,
    power_of_two: bool,
    /// The register of each access to an array that lives in registers.
    registers: BTreeMap<(Statement, usize), i64>,
    functions: BTreeMap<(Statement, usize), PwMultiAff>,
    /// The windows whose elements are counted from the start of a strip, by dimension.
    counted: BTreeMap<Array, Vec<Counted>>,
    /// The arrays of which strips use more elements than there are in the source.
    pub oversized: BTreeSet<Array>,
    /// The start of the strip.
    pub start: Option<Expr>,
}

/// The subscripts that are in use at a time in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    /// They move with the start of the strip.
    pub is_from_start: bool,
    /// The first of them.
    pub first: i64,
    /// How many there are.
    pub count: u64,
}

impl<'a> Storage<'a> {
    pub(super) fn new(scop: &'a Scop, fates: &Table<Array, Fate>, power_of_two: bool) -> Storage<'a> {
        let mut storage = Storage {
            scop,
            fates: fates.clone(),
            uses: BTreeMap::new(),
            power_of_two,
            registers: BTreeMap::new(),
            functions: BTreeMap::new(),
            counted: BTreeMap::new(),
            oversized: BTreeSet::new(),
            start: None,
        };
        for (_, fate) in storage.fates.iter_mut() {
            if let (Fate::Window { moduli }, true) = (fate, power_of_two) {
                moduli.iter_mut().flatten().for_each(|modulus| *modulus = modulus.next_power_of_two());
            }
        }
        for access in scop.statements.iter().flat_map(|(_, statement)| &statement.accesses) {
            *storage.uses.entry(access.array).or_default() += 1;
        }
        storage
    }

    /// The accesses of a nest.
    pub(super) fn accesses(&self, nest: &Nest<'_>) -> Accesses {
        let mut accesses = Accesses::new();
        for statement in nest.paths.keys() {
            for (at, access) in self.scop.statements[*statement].accesses.iter().enumerate() {
                accesses.entry(access.array).or_default().push((*statement, at));
            }
        }
        accesses
    }

    /// Gives arrays windows that are counted from the start of a strip.
    pub(super) fn count_from_start(&mut self, counted: BTreeMap<Array, Vec<Counted>>) -> Result<(), Error> {
        for (array, dims) in &counted {
            let moduli = dims.iter().map(|dim| Some(dim.count)).collect();
            self.fates[*array] = Fate::Window { moduli };
            if !self.has_room(*array, dims)? {
                self.oversized.insert(*array);
            }
        }
        self.counted.extend(counted);
        Ok(())
    }

    /// An array of the source has at least so many elements in each dimension, whatever the parameters are.
    fn has_room(&self, array: Array, dims: &[Counted]) -> Result<bool, Error> {
        let data = &self.scop.arrays[array];
        for (extent, dim) in data.extents.iter().zip(dims).skip(data.expanded) {
            let Some(extent) = extent else { return Ok(false) };
            let least = extent.intersect_params(&self.scop.assumed)?.min_val()?;
            if !least.is_int()? || u64::try_from(least.to_i64()?).map_or(true, |least| least < dim.count) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether these are all accesses to an array.
    pub(super) fn is_inside(&self, array: Array, accesses: &[(Statement, usize)]) -> bool {
        self.uses[&array] == accesses.len()
    }

    /// Lets the arrays that shall live in registers roll with the loops of a nest; where that is not possible they get windows.
    pub(super) fn roll(&mut self, nest: &mut Nest<'_>) -> Result<(), Error> {
        for (array, accesses) in self.accesses(nest) {
            let Fate::Registers { dimension, count } = self.fates[array] else { continue };
            let rolling = if self.is_inside(array, &accesses) { self.rolling(nest, &accesses)? } else { None };
            match rolling {
                Some((number, registers)) => {
                    let most = registers.iter().copied().max().unwrap_or(0);
                    let count = count.max(most as u64 + 1);
                    self.fates[array] = Fate::Registers { dimension, count };
                    self.registers.extend(accesses.into_iter().zip(registers));
                    nest.rotations.entry(number).or_default().push(array);
                }
                None => {
                    let dims = self.scop.arrays[array].extents.len();
                    let count = if self.power_of_two { count.next_power_of_two() } else { count };
                    let moduli = (0..dims).map(|at| Some(if at == dimension { count } else { 1 })).collect();
                    self.fates[array] = Fate::Window { moduli };
                }
            }
        }
        Ok(())
    }

    /// The innermost loop round all accesses to an array, and how many iterations ago the element of each access was written, if that is
    /// always the same number.
    fn rolling(&self, nest: &Nest<'_>, accesses: &[(Statement, usize)]) -> Result<Option<(usize, Vec<i64>)>, Error> {
        let mut path = nest.paths[&accesses[0].0].clone();
        for (statement, _) in accesses {
            let common = path.iter().zip(&nest.paths[statement]).take_while(|(one, other)| one == other).count();
            path.truncate(common);
        }
        let (Some(number), depth) = (path.last(), path.len()) else { return Ok(None) };
        // From times to elements.
        let mut relations = Vec::new();
        for (statement, at) in accesses {
            let access = &self.scop.statements[*statement].accesses[*at];
            if !access.is_exact {
                return Ok(None);
            }
            relations.push((nest.elements(self.scop, *statement, *at, depth)?, access.kind));
        }
        let mut written: Option<Map> = None;
        for (relation, _) in relations.iter().filter(|(_, kind)| *kind != AccessKind::Read) {
            written = Some(written.map_or(Ok(relation.clone()), |written| written.union(relation))?);
        }
        let Some(written) = written else { return Ok(None) };
        let written = written.coalesce()?;
        if !written.is_single_valued()? || !written.is_injective()? {
            return Ok(None);
        }
        let since = written.reverse()?;
        let mut registers = Vec::new();
        for (relation, _) in relations {
            let ages = relation.apply_range(&since)?.reverse()?.deltas()?;
            if ages.is_empty()? {
                registers.push(0);
                continue;
            }
            for dim in 0..depth {
                let (least, most) = (ages.dim_min_val(dim)?, ages.dim_max_val(dim)?);
                let is_last = dim + 1 == depth;
                if !least.is_int()? || !least.eq(&most)? || (!is_last && !least.is_zero()?) {
                    return Ok(None);
                }
                if is_last {
                    registers.push(least.to_i64()?);
                }
            }
        }
        let fits = registers.iter().all(|register| (0..MAX_REGISTERS).contains(register));
        Ok(fits.then_some((*number, registers)))
    }

    /// The subscripts of all accesses of a statement whose iterators have these values, at instances in `domain`.
    pub(super) fn subscripts(
        &mut self,
        statement: Statement,
        domain: &Set,
        iterators: &[Expr],
    ) -> Result<Vec<Option<Vec<Expr>>>, Error> {
        let accesses = &self.scop.statements[statement].accesses;
        let mut result = Vec::with_capacity(accesses.len());
        for (at, access) in accesses.iter().enumerate() {
            if !access.is_exact {
                result.push(None);
                continue;
            }
            let fate = self.fates[access.array].clone();
            let expanded = self.scop.arrays[access.array].expanded;
            let subscripts = match fate {
                Fate::Scalar => Vec::new(),
                Fate::Registers { .. } => vec![Expr::Int(self.registers.get(&(statement, at)).copied().unwrap_or(0))],
                Fate::Kept => {
                    let function = self.function(statement, at)?;
                    let all = expanded..function.dim(Dim::Out)?;
                    all.map(|dim| converted(&function.get_at(dim)?, domain, iterators)).collect::<Result<_, _>>()?
                }
                Fate::Window { moduli } => {
                    let function = self.function(statement, at)?;
                    let elements = domain.apply(&access.relation)?;
                    let mut subscripts = Vec::new();
                    for (dim, modulus) in moduli.iter().enumerate().filter(|(_, modulus)| **modulus != Some(1)) {
                        let subscript = converted(&function.get_at(dim)?, domain, iterators)?;
                        if let Some(counted) = self.counted.get(&access.array).map(|dims| dims[dim]) {
                            let start = self.start.clone().filter(|_| counted.is_from_start);
                            subscripts.push(subscript.sub(start.unwrap_or(Expr::Int(0))).sub(counted.first));
                            continue;
                        }
                        subscripts.push(match modulus.and_then(|modulus| i64::try_from(modulus).ok()) {
                            Some(modulus) => remainder(subscript, modulus, &elements, dim)?,
                            None => subscript,
                        });
                    }
                    subscripts
                }
            };
            result.push(Some(subscripts));
        }
        Ok(result)
    }

    fn function(&mut self, statement: Statement, at: usize) -> Result<PwMultiAff, Error> {
        if let Some(function) = self.functions.get(&(statement, at)) {
            return Ok(function.clone());
        }
        let data = &self.scop.statements[statement];
        let relation = data.accesses[at].relation.intersect_domain(&data.domain)?;
        let function = PwMultiAff::from_map(&relation)?.coalesce()?;
        self.functions.insert((statement, at), function.clone());
        Ok(function)
    }

    /// What of each element is stored where, `{ A1[x, y] -> A1[x, y mod 3] }`, for arrays in memory; registers are numbered by age and
    /// have no such relation.
    pub(super) fn cells(&self, array: Array) -> Result<UnionMap, Error> {
        let data = &self.scop.arrays[array];
        let rank = data.extents.len();
        let names: Vec<String> = (0..rank).map(|dim| format!("x{dim}")).collect();
        let cells: Vec<String> = match &self.fates[array] {
            Fate::Kept => names[data.expanded.min(rank)..].to_vec(),
            Fate::Scalar | Fate::Registers { .. } => Vec::new(),
            Fate::Window { moduli } => {
                let stored = names.iter().zip(moduli);
                stored.map(|(name, m)| m.map_or(name.clone(), |m| format!("({name}) mod {m}"))).collect()
            }
        };
        let text = format!("{{ {array}[{}] -> [{}] }}", names.join(", "), cells.join(", "));
        Ok(UnionMap::parse(&self.scop.isl, &text)?)
    }
}

/// `subscript` modulo `modulus`, as cheaply as possible; the subscripts are those of `elements` in dimension `dim`.
fn remainder(subscript: Expr, modulus: i64, elements: &Set, dim: usize) -> Result<Expr, Error> {
    let (least, most) = (elements.dim_min_val(dim)?, elements.dim_max_val(dim)?);
    let bound =
        |value: Val| -> Result<Option<i64>, Error> { Ok(if value.is_int()? { Some(value.to_i64()?) } else { None }) };
    Ok(match (bound(least)?, bound(most)?) {
        (Some(least), Some(most)) if least.div_euclid(modulus) == most.div_euclid(modulus) => {
            subscript.sub(least.div_euclid(modulus) * modulus)
        }
        (Some(least), _) if least < 0 => subscript.sub(least.div_euclid(modulus) * modulus).modulo(modulus, true),
        (least, _) => subscript.modulo(modulus, least.is_some()),
    })
}

/// The value of a function of a statement's iterators, at instances in `domain`.
fn converted(function: &PwAff, domain: &Set, iterators: &[Expr]) -> Result<Expr, Error> {
    let mut pieces = function.pieces()?;
    if pieces.len() > 1 {
        pieces = function.intersect_domain(domain)?.gist(domain)?.pieces()?;
    }
    let mut result: Option<Expr> = None;
    for (piece, aff) in pieces {
        let value = affine(&aff, domain, iterators)?;
        result = Some(match result {
            None => value,
            Some(other) => condition(&piece, domain, iterators)?.select(value, other),
        });
    }
    // An access of no instance is never evaluated.
    Ok(result.unwrap_or(Expr::Int(0)))
}

/// Whether an instance in `domain` is in a set.
fn condition(set: &Set, domain: &Set, iterators: &[Expr]) -> Result<Expr, Error> {
    let mut any = Expr::Int(0);
    for part in set.compute_divs()?.basic_sets()? {
        let mut all = Expr::Int(1);
        for constraint in part.constraints()? {
            if constraint.is_div_constraint()? {
                continue;
            }
            let value = affine(&constraint.get_aff()?, domain, iterators)?;
            let op = if constraint.is_equality()? { BinOp::Eq } else { BinOp::Ge };
            all = all.and(value.compare(op, 0));
        }
        any = any.or(all);
    }
    Ok(any)
}

/// The value of an affine function of a statement's iterators, at instances in `domain`.
pub(crate) fn affine(aff: &Aff, domain: &Set, iterators: &[Expr]) -> Result<Expr, Error> {
    let denominator = aff.get_denominator_val()?;
    let number = |value: Val| value.mul(&denominator)?.to_i64();
    let mut sum = Expr::Int(number(aff.get_constant_val()?)?);
    for at in 0..aff.dim(Dim::Param)? {
        let coefficient = number(aff.get_coefficient_val(Dim::Param, at)?)?;
        if coefficient != 0 {
            let name = aff.get_dim_name(Dim::Param, at)?;
            sum = sum.add(param(name.as_deref())?.mul(coefficient));
        }
    }
    for (at, iterator) in iterators.iter().enumerate() {
        let coefficient = number(aff.get_coefficient_val(Dim::In, at)?)?;
        if coefficient != 0 {
            sum = sum.add(iterator.clone().mul(coefficient));
        }
    }
    for at in 0..aff.dim(Dim::Div)? {
        let coefficient = number(aff.get_coefficient_val(Dim::Div, at)?)?;
        if coefficient != 0 {
            sum = sum.add(quotient(&aff.get_div(at)?, domain, iterators)?.mul(coefficient));
        }
    }
    Ok(match denominator.to_i64()? {
        1 => sum,
        denominator => sum.div(denominator, true),
    })
}

/// An affine function rounded down.
fn quotient(aff: &Aff, domain: &Set, iterators: &[Expr]) -> Result<Expr, Error> {
    let denominator = aff.get_denominator_val()?;
    let dividend = affine(&aff.scale_val(&denominator)?, domain, iterators)?;
    let negative = domain.intersect(&Set::from_basic_set(&aff.neg_basic_set()?)?)?;
    Ok(dividend.div(denominator.to_i64()?, negative.is_empty()?))
}

/// The parameter with a name, which says its number.
pub(super) fn param(name: Option<&str>) -> Result<Expr, Error> {
    let number = name.and_then(|name| name.strip_prefix('p')).and_then(|number| number.parse().ok());
    number.map(|number| Expr::Param(Param::new(number))).ok_or(Error::Form("a parameter without a number"))
}
