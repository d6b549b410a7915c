//! The oracle: runs the instances of a region one by one, in the order of a fused tree and with arrays where contraction puts them, and
//! records which values every instance reads and what is left at the end.
//!
//! The value that an instance writes stands for the instance; reductions add to it, so that any order gives the same sum. Whether a
//! write happens that is not certain, and which element an access without affine subscripts touches, depends on the instance alone.
//! Nothing of the passes is used here.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use frit_isl::{Dim, Set};
use frit_scop::model::{Home, Reduction};
use frit_scop::program::Fate;
use frit_scop::tree::{Fused, FusedTree};
use frit_scop::{AccessKind, Array, Scop, Statement};
use frit_support::Table;

/// An instance of a statement.
pub type Instance = (Statement, Vec<i64>);

/// Which access of which instance of the source an access is.
pub type Origin<'a> = &'a dyn Fn(&Instance, usize) -> (Instance, usize);

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The instances in the order in which they ran.
    pub order: Vec<Instance>,
    /// The value of each read, by position among the accesses; `None` for what was never written, and for writes.
    pub reads: BTreeMap<Instance, Vec<Option<u64>>>,
    /// What is in the arrays of the source that are live at the end.
    pub left: BTreeMap<(Array, Vec<i64>), Option<u64>>,
    /// How many places in memory the arrays that are not live were given.
    pub places: usize,
}

/// Where arrays are.
#[derive(Clone, Debug)]
pub struct Storage {
    pub fates: Table<Array, Fate>,
    /// The first array of each pair uses the storage of the second.
    pub shares: Vec<(Array, Array)>,
}

impl Storage {
    /// Every array as it was.
    pub fn kept(scop: &Scop) -> Storage {
        Storage { fates: scop.arrays.iter().map(|_| Fate::Kept).collect(), shares: Vec::new() }
    }

    /// As [`Storage::kept`], with an element for each iteration where arrays are expanded so.
    pub fn expanded(scop: &Scop) -> Storage {
        let fate = |data: &frit_scop::ArrayData| match data.expanded {
            0 => Fate::Kept,
            _ => Fate::Window { moduli: vec![None; data.extents.len()] },
        };
        Storage { fates: scop.arrays.iter().map(|(_, data)| fate(data)).collect(), shares: Vec::new() }
    }
}

/// Runs a region as it is.
pub fn run_source(scop: &Scop, params: &[i64]) -> Run {
    run(scop, &FusedTree::original(scop), &Storage::kept(scop), params)
}

/// Runs a region in the order of `tree`.
pub fn run(scop: &Scop, tree: &FusedTree, storage: &Storage, params: &[i64]) -> Run {
    run_from(scop, tree, storage, params, &|instance, at| (instance.clone(), at))
}

/// Runs a region in which accesses are those of another one.
pub fn run_from(scop: &Scop, tree: &FusedTree, storage: &Storage, params: &[i64], origin: Origin<'_>) -> Run {
    let times = tree.schedule(scop).expect("a schedule");
    let mut order: Vec<(Vec<i64>, Instance)> = Vec::new();
    for (statement, data) in scop.statements.iter() {
        for point in points(&times[statement].intersect_params(&scop.assumed).unwrap().wrap().unwrap(), params) {
            let (iteration, time) = point.split_at(data.loops.len());
            order.push((time.to_vec(), (statement, iteration.to_vec())));
        }
    }
    order.sort();
    run_order(scop, tree, storage, params, &order, origin)
}

fn run_order(
    scop: &Scop,
    tree: &FusedTree,
    storage: &Storage,
    params: &[i64],
    order: &[(Vec<i64>, Instance)],
    origin: Origin<'_>,
) -> Run {
    let elements = Elements::from(scop, params, origin);
    let mut memory = Memory::new(scop, tree, storage, params, &elements, order);
    let mut run = Run::default();
    for (time, instance) in order {
        memory.roll(time);
        let statement = &scop.statements[instance.0];
        let mut read = vec![None; statement.accesses.len()];
        for (at, access) in statement.accesses.iter().enumerate() {
            if access.kind == AccessKind::Read {
                read[at] = elements.of(instance, at).and_then(|element| memory.load(instance, access.array, element));
            }
        }
        for (at, access) in statement.accesses.iter().enumerate() {
            let of = origin(instance, at);
            let happens = access.kind != AccessKind::MayWrite || !hash(&of).is_multiple_of(3);
            if access.kind == AccessKind::Read || !happens {
                continue;
            }
            let value = match statement.reduction {
                Some(Reduction { read: from, write, .. }) if write == at => {
                    read[from].map(|old| old.wrapping_add(hash(&of.0)))
                }
                _ => Some(hash(&of)),
            };
            if let Some(element) = elements.of(instance, at) {
                memory.store(instance, access.array, element, value);
            }
        }
        run.order.push(instance.clone());
        run.reads.insert(instance.clone(), read);
    }
    run.left = memory.left();
    run.places = memory.places();
    run
}

/// Whether `changed` computes what `source` does: the same instances, each with the same values read, and the same left at the end.
/// `reassociated`: reductions may see their sums in another order.
pub fn compare(scop: &Scop, source: &Run, changed: &Run, reassociated: bool) -> Result<(), String> {
    if source.reads.len() != changed.reads.len() || changed.order.len() != source.order.len() {
        return Err(format!("{} instances, not {}", changed.order.len(), source.order.len()));
    }
    for (instance, expected) in &source.reads {
        let Some(found) = changed.reads.get(instance) else { return Err(format!("{instance:?} does not run")) };
        let reduction = scop.statements[instance.0].reduction.filter(|reduction| reduced(reduction, reassociated));
        for (at, (expected, found)) in expected.iter().zip(found).enumerate() {
            // What was never written may be anything.
            if expected.is_some() && expected != found && reduction.is_none_or(|reduction| reduction.read != at) {
                return Err(format!("{instance:?}: access {at} reads another value"));
            }
        }
    }
    for (place, expected) in &source.left {
        if expected.is_some() && changed.left.get(place) != Some(expected) {
            return Err(format!("{place:?} is left with another value"));
        }
    }
    match changed.left.keys().find(|place| !source.left.contains_key(*place)) {
        Some(place) => Err(format!("{place:?} is written")),
        None => Ok(()),
    }
}

fn reduced(reduction: &Reduction, reassociated: bool) -> bool {
    reassociated || reduction.is_exact
}

/// The value that stands for something.
pub fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The points of a set for given parameters, in lexicographic order.
pub fn points(set: &Set, params: &[i64]) -> Vec<Vec<i64>> {
    let mut set = set.clone();
    for (at, value) in params.iter().enumerate() {
        if let Some(pos) = set.find_dim_by_name(Dim::Param, &format!("p{at}")).unwrap() {
            set = set.fix_si(Dim::Param, pos, i32::try_from(*value).unwrap()).unwrap();
        }
    }
    let set = set.project_out_all_params().unwrap();
    let dims = set.dim(Dim::Set).unwrap();
    let coordinate = |point: &frit_isl::Point, at| point.get_coordinate_val(Dim::Set, at).unwrap().to_i64().unwrap();
    let mut found: Vec<Vec<i64>> =
        set.points().unwrap().iter().map(|point| (0..dims).map(|at| coordinate(point, at)).collect()).collect();
    found.sort();
    found.dedup();
    found
}

/// A function at given parameters; 0 where it is not defined, as an extent for iterations that do not happen.
pub fn evaluate(extent: &frit_isl::PwAff, params: &[i64]) -> i64 {
    points(&Set::from_pw_aff(extent).unwrap(), params).first().map_or(0, |value| value[0])
}

/// Which element each access of each instance touches.
pub struct Elements {
    of: BTreeMap<(Instance, usize), Vec<i64>>,
}

impl Elements {
    pub fn new(scop: &Scop, params: &[i64]) -> Elements {
        Elements::from(scop, params, &|instance, at| (instance.clone(), at))
    }

    /// Accesses that are not exact touch what those touch that they are.
    pub fn from(scop: &Scop, params: &[i64], origin: Origin<'_>) -> Elements {
        let mut of = BTreeMap::new();
        for (statement, data) in scop.statements.iter() {
            for (at, access) in data.accesses.iter().enumerate() {
                let relation = access.relation.intersect_domain(&data.domain).unwrap();
                let mut all: BTreeMap<Instance, Vec<Vec<i64>>> = BTreeMap::new();
                let relation = relation.intersect_params(&scop.assumed).unwrap();
                for point in points(&relation.wrap().unwrap(), params) {
                    let (iteration, element) = point.split_at(data.loops.len());
                    all.entry((statement, iteration.to_vec())).or_default().push(element.to_vec());
                }
                for (instance, mut elements) in all {
                    assert!(!access.is_exact || elements.len() == 1, "{statement}: access {at} is not exact");
                    let (touched, position) = origin(&instance, at);
                    let chosen = hash(&(&touched, position, "which")) as usize % elements.len();
                    of.insert((instance, at), elements.swap_remove(chosen));
                }
            }
        }
        Elements { of }
    }

    pub fn of(&self, instance: &Instance, at: usize) -> Option<&[i64]> {
        self.of.get(&(instance.clone(), at)).map(Vec::as_slice)
    }
}

/// Scalars that roll.
struct Rolling {
    /// How many of the numbers of a time are those of the rolling loop and what is outside of it.
    prefix: usize,
    /// The element that is written at time 0.
    offset: i64,
    dimension: usize,
    /// The time at which number 0 is written, or is not written, now.
    now: Vec<i64>,
    values: Vec<Option<u64>>,
}

struct Memory<'a> {
    scop: &'a Scop,
    storage: &'a Storage,
    params: &'a [i64],
    cells: BTreeMap<(Array, Vec<i64>), Option<u64>>,
    rolling: BTreeMap<Array, Rolling>,
    extents: Table<Array, Vec<Option<i64>>>,
}

impl<'a> Memory<'a> {
    fn new(
        scop: &'a Scop,
        tree: &FusedTree,
        storage: &'a Storage,
        params: &'a [i64],
        elements: &Elements,
        order: &[(Vec<i64>, Instance)],
    ) -> Self {
        let evaluated = |data: &frit_scop::ArrayData| {
            data.extents.iter().map(|extent| extent.as_ref().map(|extent| evaluate(extent, params))).collect()
        };
        let extents = scop.arrays.iter().map(|(_, data)| evaluated(data)).collect();
        let mut rolling = BTreeMap::new();
        for (array, fate) in storage.fates.iter() {
            let Fate::Registers { dimension, count } = *fate else { continue };
            let uses =
                |statement: &Statement| scop.statements[*statement].accesses.iter().any(|access| access.array == array);
            let depth = loops_round(&tree.body, &uses);
            let first_write = order.iter().find_map(|(time, instance)| {
                let accesses = &scop.statements[instance.0].accesses;
                let at =
                    accesses.iter().position(|access| access.array == array && access.kind == AccessKind::Write)?;
                Some(elements.of(instance, at)?[dimension] - time[2 * depth - 1])
            });
            // Without any write there is nothing to be read.
            let Some(offset) = first_write else { continue };
            let values = vec![None; count as usize];
            rolling.insert(array, Rolling { prefix: 2 * depth, offset, dimension, now: Vec::new(), values });
        }
        Memory { scop, storage, params, cells: BTreeMap::new(), rolling, extents }
    }

    /// Scalars move on when their loop does, and are lost when an outer one does.
    fn roll(&mut self, time: &[i64]) {
        for rolling in self.rolling.values_mut() {
            let time = &time[..rolling.prefix];
            if rolling.now == time {
                continue;
            }
            let outer = rolling.prefix - 1;
            if rolling.now.is_empty() || rolling.now[..outer] != time[..outer] {
                rolling.values.fill(None);
            } else {
                rolling.values.rotate_right(1);
                rolling.values[0] = None;
            }
            rolling.now = time.to_vec();
        }
    }

    fn cell(&self, instance: &Instance, array: Array, element: &[i64]) -> (Array, Vec<i64>) {
        let data = &self.scop.arrays[array];
        if let (Home::Body(of), 0) = (data.home, data.expanded) {
            // Every iteration has its own.
            let depth = self.scop.statements[instance.0].loops.iter().position(|other| *other == of).unwrap() + 1;
            return (array, [&instance.1[..depth], element].concat());
        }
        let extents = &self.extents[array];
        let (place, sizes): (Vec<i64>, Vec<Option<i64>>) = match &self.storage.fates[array] {
            Fate::Kept => (element[data.expanded..].to_vec(), extents[data.expanded..].to_vec()),
            Fate::Scalar | Fate::Registers { .. } => (Vec::new(), Vec::new()),
            Fate::Window { moduli } => {
                assert_eq!(moduli.len(), element.len(), "one modulus for each dimension of {array}");
                let place = |(at, m): (&i64, &Option<u64>)| m.map_or(*at, |m| at.rem_euclid(m as i64));
                let size = |(m, extent): (&Option<u64>, &Option<i64>)| m.map(|m| m as i64).or(*extent);
                (element.iter().zip(moduli).map(place).collect(), moduli.iter().zip(extents).map(size).collect())
            }
        };
        let shared = self.storage.shares.iter().find(|(user, _)| *user == array).map(|(_, owner)| *owner);
        let is_shared = shared.is_some() || self.storage.shares.iter().any(|(_, owner)| *owner == array);
        if !is_shared {
            // Parts of a live array of the source stay where that is.
            let owner = if data.is_live_in || data.is_live_out { data.origin } else { array };
            return (owner, place);
        }
        let linear =
            place.iter().zip(&sizes).fold(0, |sum, (at, size)| sum * size.expect("the size of what is shared") + at);
        (shared.unwrap_or(array), vec![linear])
    }

    fn register(&mut self, array: Array, element: &[i64]) -> Option<&mut Option<u64>> {
        let rolling = self.rolling.get_mut(&array)?;
        let number = rolling.now[rolling.prefix - 1] + rolling.offset - element[rolling.dimension];
        let number = usize::try_from(number).expect("a register is not used before it is written");
        Some(rolling.values.get_mut(number).expect("as many registers as are in use"))
    }

    fn load(&mut self, instance: &Instance, array: Array, element: &[i64]) -> Option<u64> {
        if let Some(register) = self.register(array, element) {
            return *register;
        }
        let before = self.scop.arrays[array].is_live_in.then(|| hash(&(self.scop.arrays[array].origin, element)));
        self.cells.get(&self.cell(instance, array, element)).copied().unwrap_or(before)
    }

    fn store(&mut self, instance: &Instance, array: Array, element: &[i64], value: Option<u64>) {
        if let Some(register) = self.register(array, element) {
            *register = value;
            return;
        }
        let cell = self.cell(instance, array, element);
        self.cells.insert(cell, value);
    }

    fn is_live_out(&self, array: Array) -> bool {
        self.scop.arrays[array].is_live_out
    }

    fn left(&self) -> BTreeMap<(Array, Vec<i64>), Option<u64>> {
        let cells = self.cells.iter().filter(|((array, _), _)| self.is_live_out(*array));
        cells.map(|(cell, value)| (cell.clone(), *value)).collect()
    }

    fn places(&self) -> usize {
        let cells = self.cells.keys().filter(|(array, _)| !self.is_live_out(*array)).count();
        cells + self.rolling.values().map(|rolling| rolling.values.len()).sum::<usize>()
    }
}

/// How many loops are round everything that `uses` holds for.
fn loops_round(body: &[Fused], uses: &impl Fn(&Statement) -> bool) -> usize {
    let mut users = body.iter().filter(|fused| fused.statements().iter().any(uses));
    match (users.next(), users.next()) {
        (Some(Fused::Loop(fused)), None) => 1 + loops_round(&fused.body, uses),
        _ => 0,
    }
}

/// Whether every value of the parameters keeps what is computed.
pub fn check(
    source: &Scop,
    changed: &Scop,
    tree: &FusedTree,
    storage: &Storage,
    params: &[i64],
    reassociated: bool,
) -> Result<(), String> {
    compare(source, &run_source(source, params), &run(changed, tree, storage, params), reassociated)
}
