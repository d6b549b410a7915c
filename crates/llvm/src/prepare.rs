//! What a fusion needs to be computed before the loops: how many iterations each part of it has, where values start, whether
//! memory overlaps. All of this is code without effects, put before the last of the loops while LLVM's analyses still
//! hold; `weave` moves it to where the fused loop begins.
//! Source: \[LLVM\] sections 5.1 and 5.2, conformance and guards, there only for equal or constant numbers of iterations.
//!
//! A fused loop of members with `n` iterations each, where member `i` is late by `s` iterations, is
//! - a prologue for each member that is not as late as the latest one: its first iterations;
//! - the main loop, as long as all members have iterations left;
//! - an epilogue for each member that has iterations left then.
//!
//! See Note [Order of the parts].

use crate::access::Time;
use crate::facts::{Facts, Form, Scev};
use crate::ir::{Block, Builder, Value};
use crate::options::{Fuse, Options};
use crate::planning::{AccessOf, Cluster};
use crate::profit;
use crate::refusal::{Growth, Refusal};
use crate::region::{Guard, LoopNode, Node, Region};
use llvm_sys::LLVMIntPredicate;
use std::collections::HashSet;

/// A number of iterations.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Count {
    /// Known here.
    Constant(i64),
    /// Computed; at least 1 if so said.
    Computed { value: Value, some: bool },
}

/// How a member runs.
#[derive(Clone, Debug)]
pub(crate) struct Strand {
    /// The node.
    pub(crate) node: usize,
    /// Iterations before the main loop.
    pub(crate) prologue: Count,
    /// Iterations after it.
    pub(crate) epilogue: Count,
    /// Values of header phis when the main loop begins, if they differ from those at the beginning and are known.
    pub(crate) starts: Vec<(Value, Value)>,
    /// Whether the iterations before and those after are few.
    pub(crate) is_brief: [bool; 2],
}

impl Strand {
    /// The loop runs as a whole.
    fn whole(node: usize) -> Strand {
        let none = Count::Constant(0);
        Strand { node, prologue: none, epilogue: none, starts: Vec::new(), is_brief: [true; 2] }
    }
}

/// Who decides whether the loops are entered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry {
    /// All loops are entered.
    Always,
    /// All or none: the condition, and what it has to be.
    Together(Value, bool),
    /// Each on its own.
    Apart,
    /// All are entered where the check holds.
    Checked,
}

/// Everything that has been computed for a fusion.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Members, in the order of the program.
    pub(crate) strands: Vec<Strand>,
    /// Who decides whether they are entered.
    pub(crate) entry: Entry,
    /// Iterations of the main loop; `None` if all members have the same number and none is late, so that the last one's own
    /// condition ends the loop.
    pub(crate) main: Option<Count>,
    /// True if all that is `asked` is so; `None` if there is nothing to be asked.
    pub(crate) check: Option<Value>,
    /// What the check asks.
    pub(crate) asked: Vec<Question>,
    /// Accesses in groups of pointers that the check told apart, and which groups these are.
    pub(crate) apart: Vec<Group>,
}

/// What a check asks when the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Is their memory apart?
    Memory,
    /// Are their rows apart?
    Rows,
    /// Are all loops entered?
    Entered,
    /// Have they iterations enough?
    Length,
}

/// Accesses by one pointer.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The instructions.
    pub(crate) accesses: Vec<Value>,
    /// Numbers of the groups that they do not overlap with.
    pub(crate) others: Vec<usize>,
}

/// Iterations before or after the main loop that are few.
const BRIEF: i64 = 64;

/// Operations that one computed number may take.
const BUDGET: u32 = 60;

/// The fusion of one loop with itself: it stays as it is.
pub(crate) fn alone(region: &Region, node: usize) -> Prepared {
    let entry = match region.nodes[node].as_loop().and_then(|node| node.guard.as_ref()) {
        Some(guard) => Entry::Together(guard.condition, guard.enters_on),
        None => Entry::Always,
    };
    Prepared {
        strands: vec![Strand::whole(node)],
        entry,
        main: None,
        check: None,
        asked: Vec::new(),
        apart: Vec::new(),
    }
}

/// Computes what a cluster needs, or says why that cannot be computed before its loops. `first`: no other fusion is prepared.
pub(crate) fn prepare(
    facts: &Facts,
    region: &Region,
    cluster: &Cluster,
    options: &Options,
    first: bool,
) -> Result<Prepared, Refusal> {
    let nodes: Vec<&LoopNode> =
        cluster.members.iter().map(|&at| region.nodes[at].as_loop().expect("clusters are of loops")).collect();
    let entry = entry(facts, &nodes);
    let counts = iterations(facts, &nodes);
    let profitable = options.fuse == Fuse::Profitable;
    let attempt = |entry: Entry| {
        let mut expansion = Expansion::new(facts, region, &nodes);
        let prepared = compute(&mut expansion, cluster, (&nodes, &counts), entry, profitable);
        let grows = |prepared: &Prepared| prepared.check.is_some() || prepared.main.is_some();
        let prepared = match prepared {
            Ok(prepared) if options.small && grows(&prepared) => Err(Refusal::CodeGrowth(Growth::Small)),
            prepared => prepared,
        };
        if prepared.is_err() && first {
            // Nothing is left of what was computed in vain. Where other fusions are prepared already it may be what these wait
            // for.
            facts.delete_expanded(&expansion.made);
        }
        prepared
    };
    match entry {
        // A loop may end before all others have begun, unless all are entered.
        Entry::Apart if differ_by_constants(facts, &counts) && !begin_together(facts, cluster, &nodes, &counts) => {
            attempt(Entry::Checked).or_else(|_| attempt(Entry::Apart))
        }
        entry => attempt(entry),
    }
}

/// How many iterations more than the first loop each has is known.
fn differ_by_constants(facts: &Facts, counts: &[Scev]) -> bool {
    counts.iter().all(|&count| matches!(facts.form(facts.minus(count, counts[0])), Form::Constant(_)))
}

/// Each loop is known to have the iterations that come before the main loop, whatever its guard decides.
fn begin_together(facts: &Facts, cluster: &Cluster, nodes: &[&LoopNode], counts: &[Scev]) -> bool {
    let latest = cluster.shifts.iter().max().expect("a cluster has members");
    nodes.iter().zip(counts).zip(&cluster.shifts).all(|((node, &count), shift)| {
        let sure = match open_guard(facts, node) {
            Some(_) => 0,
            None => at_least(facts, count),
        };
        latest - shift <= sure
    })
}

/// Iterations of each loop, if it is entered, in a form in which they can be compared, if there is one.
fn iterations(facts: &Facts, nodes: &[&LoopNode]) -> Vec<Scev> {
    let one = facts.number(1, 64);
    let counts: Vec<Scev> =
        nodes.iter().map(|node| facts.plus(facts.zero_extend(node.candidate.count, 64), one)).collect();
    if differ_by_constants(facts, &counts) {
        return counts;
    }
    // ScalarEvolution does not see that extensions of `n - 1` and of `n` differ by 1, as that needs guards.
    let common = nodes[0].count.map(|(value, _)| value);
    let of_common = |node: &&LoopNode| {
        let (value, constant) = node.count.filter(|&(value, _)| Some(value) == common)?;
        Some(facts.plus(facts.sign_extend(value, 64), facts.number(constant + 1, 64)))
    };
    nodes.iter().map(of_common).collect::<Option<Vec<Scev>>>().unwrap_or(counts)
}

/// What a number of iterations of a loop that is entered is at least.
fn at_least(facts: &Facts, count: Scev) -> i64 {
    match facts.form(count) {
        Form::Constant(count) => count,
        _ => 1,
    }
}

/// A guard of which it is not known that it lets the loop be entered.
fn open_guard<'n>(facts: &Facts, node: &'n LoopNode) -> Option<&'n Guard> {
    let is_open = |guard: &&Guard| !facts.known_condition(guard.condition, guard.enters_on, node.from.terminator());
    node.guard.as_ref().filter(is_open)
}

fn compute(
    expansion: &mut Expansion<'_>,
    cluster: &Cluster,
    (nodes, counts): (&[&LoopNode], &[Scev]),
    entry: Entry,
    profitable: bool,
) -> Result<Prepared, Refusal> {
    let last = nodes[nodes.len() - 1].candidate.preheader.terminator();
    let equal = |x: Scev, y: Scev| expansion.facts.known_equal(x, y, last);
    let same = counts.iter().all(|&count| equal(count, counts[0]))
        || nodes.iter().all(|node| equal(node.candidate.count, nodes[0].candidate.count));
    let is_late = cluster.shifts.iter().any(|&shift| shift != 0);
    let (mut strands, mut main, totals) = if same && !is_late && !matches!(entry, Entry::Apart) {
        (cluster.members.iter().copied().map(Strand::whole).collect(), None, Vec::new())
    } else {
        let parts = parts(expansion, cluster, (nodes, counts), entry).ok_or(Refusal::TripCountOverflow)?;
        (parts.strands, Some(parts.main), parts.totals)
    };
    let (mut check, apart) = check(expansion, cluster).ok_or(Refusal::MayAlias { anew: false })?;
    let mut asked: Vec<Question> = check.map(|_| Question::Memory).into_iter().collect();
    if let Some(rows) = check_rows(expansion, cluster).ok_or(Refusal::MayAlias { anew: false })? {
        asked.push(Question::Rows);
        check = Some(expansion.also(check, rows));
    }
    if let Entry::Checked = entry {
        asked.push(Question::Entered);
        for guard in strongest(nodes.iter().filter_map(|node| node.guard.as_ref()).collect()) {
            let enters = match guard.enters_on {
                true => guard.condition,
                false => expansion.build(|builder| builder.not(guard.condition)),
            };
            check = Some(expansion.also(check, enters));
        }
    }
    let is_checked = expansion.region.parent.is_some() && !(cluster.checks.is_empty() && cluster.assumed.is_empty());
    let long = match (is_late || is_checked) && profitable {
        true => are_long(expansion, nodes, is_late).ok_or(Refusal::CodeGrowth(Growth::Apart))?,
        false => None,
    };
    asked.extend(long.map(|_| Question::Length));
    check = long.map_or(check, |long| Some(expansion.also(check, long)));
    // Straight-line code before an innermost loop is worth more than what is saved: what it stores is known to the loop.
    let are_nests = nodes.iter().all(|node| !node.candidate.inner.is_empty());
    if let (Some(question), [Question::Length], true) = (check, &asked[..], are_nests)
        && run_in_parts(expansion, nodes, (&mut strands, &mut main), &totals, question).is_some()
    {
        check = None;
    }
    // Copies of the loops would need copies of these as well.
    if check.is_some() && !expansion.region.late_values(&cluster.members).is_empty() {
        return Err(Refusal::ValueUsedAcross { value: String::new() });
    }
    Ok(Prepared { strands, entry, main, check, asked, apart })
}

/// Guards that decide whether all loops are entered: the others are implied.
fn strongest(guards: Vec<&Guard>) -> Vec<&Guard> {
    let implies = |guard: &&&Guard| {
        let mut known = vec![(guard.condition, guard.enters_on)];
        let mut at = 0;
        while at < known.len() {
            let (condition, holds) = known[at];
            known.extend(condition.both_of().into_iter().flatten().filter(|_| holds).map(|part| (part, true)));
            at += 1;
        }
        guards.iter().all(|other| known.contains(&(other.condition, other.enters_on)))
    };
    match guards.iter().find(implies) {
        Some(&guard) => vec![guard],
        None => guards,
    }
}

/// Code for expressions, before the first of the loops where that can be.
struct Expansion<'a> {
    facts: &'a Facts,
    region: &'a Region,
    /// The ends of blocks before the loops, in their order.
    places: Vec<Value>,
    /// Blocks whose values are not there before the fused loop, even though they come before the last of the loops.
    inside: HashSet<Block>,
    /// All that was computed.
    made: Vec<Value>,
}

impl<'a> Expansion<'a> {
    fn new(facts: &'a Facts, region: &'a Region, nodes: &[&LoopNode]) -> Expansion<'a> {
        let inside = region.nodes.iter().flat_map(Node::inside).collect();
        let places = nodes.iter().map(|node| node.from.terminator()).collect();
        Expansion { facts, region, places, inside, made: Vec::new() }
    }

    /// The end of the last block before a loop: everything that the loops need is there.
    fn last(&self) -> Value {
        *self.places.last().expect("there are loops")
    }

    /// A value computed there.
    fn build(&mut self, value: impl FnOnce(&Builder) -> Value) -> Value {
        let value = value(&Builder::before(self.last()));
        self.made.push(value);
        value
    }

    /// Both conditions, or the one there is.
    fn also(&mut self, known: Option<Value>, condition: Value) -> Value {
        known.map_or(condition, |known| self.build(|builder| builder.and(known, condition)))
    }

    /// Conditions are computed where loops may not be entered: poison must not decide where to go.
    fn decided(&mut self, condition: Value) -> Value {
        self.build(|builder| builder.freeze(condition))
    }

    /// The value of an expression, if it is small and can be known before the loops. LLVM uses values that are there
    /// already, also from within loops that are sure to have been executed; those are of no use.
    fn value(&mut self, scev: Scev) -> Option<Value> {
        for at in self.places.clone() {
            if self.facts.can_expand(scev, at, BUDGET) {
                let value = self.facts.expand(scev, at);
                self.made.push(value);
                if self.is_before(value) {
                    return Some(value);
                }
            }
        }
        None
    }

    fn is_before(&self, value: Value) -> bool {
        let mut work = vec![value];
        let mut seen = HashSet::new();
        while let Some(next) = work.pop() {
            if !next.is_instruction() || !seen.insert(next) {
                continue;
            }
            // Loops that are over may be rewritten in the same round, and give their results by phis.
            let around = self.facts.loop_of(next.block());
            if self.inside.contains(&next.block()) || around.is_some_and(|of| !of.contains(self.last().block())) {
                return false;
            }
            if self.region.chain.contains(&next.block()) && !next.is_phi() {
                work.extend(next.operands());
            }
        }
        true
    }
}

/// Who decides whether the loops are entered: guards that are known to hold are none, and equal ones are one.
/// Source: \[LLVM\] section 5.2, where guards must be identical.
fn entry(facts: &Facts, nodes: &[&LoopNode]) -> Entry {
    let mut common: Option<(Value, bool)> = None;
    let mut unguarded = false;
    for node in nodes {
        let Some(guard) = open_guard(facts, node) else {
            unguarded = true;
            continue;
        };
        match common {
            None => common = Some((guard.condition, guard.enters_on)),
            Some((condition, enters_on)) => {
                if enters_on != guard.enters_on || !facts.same_condition(condition, guard.condition) {
                    return Entry::Apart;
                }
            }
        }
    }
    match common {
        None => Entry::Always,
        Some(_) if unguarded => Entry::Apart,
        Some((condition, enters_on)) => Entry::Together(condition, enters_on),
    }
}

/// How members run in parts.
struct Parts {
    strands: Vec<Strand>,
    /// Iterations of the main loop.
    main: Count,
    /// Iterations of each member, all parts together.
    totals: Vec<Scev>,
}

/// The parts of members that differ in their numbers of iterations, are late, or are entered on their own.
fn parts(
    expansion: &mut Expansion<'_>,
    cluster: &Cluster,
    (nodes, iterations): (&[&LoopNode], &[Scev]),
    entry: Entry,
) -> Option<Parts> {
    let (facts, at) = (expansion.facts, expansion.last());
    let wide = at.block().function().integer(64);
    let apart = matches!(entry, Entry::Apart);
    // Numbers of iterations, and what they are at least.
    let mut counts: Vec<(Scev, i64)> = Vec::new();
    for (node, &count) in nodes.iter().zip(iterations) {
        match open_guard(facts, node).filter(|_| apart) {
            None => counts.push((count, at_least(facts, count))),
            Some(guard) => {
                let some = expansion.value(count)?;
                // Poison where the loop is not entered is chosen by nobody.
                let (then, otherwise) =
                    if guard.enters_on { (some, wide.constant(0)) } else { (wide.constant(0), some) };
                let chosen = expansion.build(|builder| builder.select(guard.condition, then, otherwise));
                counts.push((facts.scev(chosen, facts.loop_of(at.block()))?, 0));
            }
        }
    }
    // Who has more iterations than another one has at least as many more.
    for at in 0..counts.len() {
        let least = counts.iter().filter_map(|&(other, least)| match facts.form(facts.minus(counts[at].0, other)) {
            Form::Constant(more) => least.checked_add(more),
            _ => None,
        });
        counts[at].1 = least.max().unwrap_or(0).max(counts[at].1);
    }
    let latest = *cluster.shifts.iter().max().expect("a cluster has members");
    let mut prologues = Vec::new();
    let mut rests: Vec<(Scev, i64)> = Vec::new();
    for (&(count, least), &shift) in counts.iter().zip(&cluster.shifts) {
        let early = latest - shift;
        if early <= least {
            prologues.push(facts.number(early, 64));
            rests.push((facts.minus(count, facts.number(early, 64)), least - early));
        } else {
            let prologue = facts.unsigned_min(count, facts.number(early, 64));
            prologues.push(prologue);
            rests.push((facts.minus(count, prologue), 0));
        }
    }
    // The main loop ends with whoever ends first.
    let mut main = rests[0];
    let longer = counts.iter().map(|&(count, _)| match facts.form(facts.minus(count, counts[0].0)) {
        Form::Constant(longer) => Some(longer),
        _ => None,
    });
    let ends = longer.zip(&cluster.shifts).map(|(longer, shift)| longer?.checked_add(*shift));
    let ends: Option<Vec<i64>> = ends.collect();
    match &ends {
        // Where a prologue may be cut short, this is known of the numbers, and not of their expressions.
        Some(ends) => main = rests[(0..ends.len()).min_by_key(|&at| ends[at]).expect("a cluster has members")],
        None => {
            for &(rest, least) in &rests[1..] {
                main = match facts.form(facts.minus(rest, main.0)) {
                    Form::Constant(longer) if longer >= 0 => (main.0, main.1.max(least - longer)),
                    Form::Constant(_) => (rest, least),
                    _ => (facts.unsigned_min(main.0, rest), main.1.min(least)),
                };
            }
        }
    }
    let is_brief = ends.is_some_and(|ends| {
        let (first, last) = (ends.iter().min().copied(), ends.iter().max().copied());
        last.zip(first).is_some_and(|(last, first)| last - first <= BRIEF)
    });
    let computed = |expansion: &mut Expansion<'_>, scev: Scev, least: i64| -> Option<Count> {
        match facts.form(scev) {
            Form::Constant(count) => Some(Count::Constant(count)),
            _ => Some(Count::Computed { value: expansion.value(scev)?, some: least > 0 }),
        }
    };
    let mut strands = Vec::new();
    for (which, node) in nodes.iter().enumerate() {
        let prologue = computed(expansion, prologues[which], 0)?;
        let epilogue = computed(expansion, facts.minus(rests[which].0, main.0), 0)?;
        let early = latest - cluster.shifts[which];
        let mut starts = Vec::new();
        for phi in node.candidate.phis() {
            if early == 0 {
                continue;
            }
            // Where the main loop has an iteration, the prologue had all of its own.
            let Some((start, step)) = facts.recurrence(phi, node.candidate.of) else { continue };
            let later = facts.plus(start, facts.times(step, facts.number(early, facts.bits(step))));
            if let Some(later) = expansion.value(later) {
                starts.push((phi, later));
            }
        }
        strands.push(Strand { node: cluster.members[which], prologue, epilogue, starts, is_brief: [true, is_brief] });
    }
    // Members without a common iteration make no loop.
    let main = computed(expansion, main.0, main.1)?;
    let empty = matches!(main, Count::Constant(count) if count <= 0);
    let totals = counts.into_iter().map(|(count, _)| count).collect();
    (!empty).then_some(Parts { strands, main, totals })
}

/// Lets prologues and epilogues be all there is of the loops where the check does not hold: the prologues of the first members, the epilogues of the others.
/// That is the original order, without copies of the loops for this case alone. `None`, and nothing changes, if a member has no such part.
fn run_in_parts(
    expansion: &mut Expansion<'_>,
    nodes: &[&LoopNode],
    (strands, main): (&mut [Strand], &mut Option<Count>),
    totals: &[Scev],
    check: Value,
) -> Option<()> {
    let is_there = |count: Count| !matches!(count, Count::Constant(0));
    let first = strands.iter().position(|strand| !is_there(strand.prologue)).unwrap_or(strands.len());
    if !strands[first..].iter().all(|strand| is_there(strand.epilogue)) {
        return None;
    }
    // What precedes a member comes before all epilogues, also those of members before it.
    if nodes[first..].iter().skip(1).any(|node| !node.pre.is_empty()) {
        return None;
    }
    let totals: Vec<Value> = totals.iter().map(|&total| expansion.value(total)).collect::<Option<_>>()?;
    let wide = expansion.last().block().function().integer(64);
    let mut choose = |count: Count, otherwise: Value| {
        let value = match count {
            Count::Constant(0) if otherwise.as_constant() == Some(0) => return count,
            Count::Constant(count) => wide.constant(count),
            Count::Computed { value, .. } => value,
        };
        Count::Computed { value: expansion.build(|builder| builder.select(check, value, otherwise)), some: false }
    };
    let none = wide.constant(0);
    *main = Some(choose((*main)?, none));
    for (at, (strand, &total)) in strands.iter_mut().zip(&totals).enumerate() {
        let (before, after) = if at < first { (total, none) } else { (none, total) };
        strand.prologue = choose(strand.prologue, before);
        strand.epilogue = choose(strand.epilogue, after);
        strand.is_brief[usize::from(at >= first)] = false;
        if at >= first {
            // The epilogue may begin where the loop does.
            strand.starts.clear();
        }
    }
    Some(())
}

/// A check that loops have enough iterations for prologues and epilogues, or a check of their memory, to be made up for: of the loops themselves where they
/// are executed again and again, of the loops in them where they have some. `None` where they are known to be too short.
#[allow(clippy::option_option)]
fn are_long(expansion: &mut Expansion<'_>, nodes: &[&LoopNode], is_late: bool) -> Option<Option<Value>> {
    let facts = expansion.facts;
    let mut all: Option<Value> = None;
    for node in nodes {
        let of = node.candidate.of;
        let mut innermost = of;
        while let Some(&next) = innermost.children().first() {
            innermost = next;
        }
        let (looked_at, least) = match (innermost == of, expansion.region.parent) {
            (true, None) => continue,
            (true, Some(_)) if is_late => (of, profit::FEW_ITERATIONS),
            (true, Some(_)) => (of, profit::CHECKED_ITERATIONS),
            (false, _) => (innermost, profit::SHORT_ROW),
        };
        let Some(count) = facts.backedge_count(looked_at) else { continue };
        if let Form::Constant(count) = facts.form(count) {
            if count < least {
                return None;
            }
            continue;
        }
        // What is known only within the outer loop is not looked at.
        if !facts.is_invariant(count, of) {
            continue;
        }
        let Some(value) = expansion.value(count) else { continue };
        let enough =
            expansion.build(|builder| builder.compare(LLVMIntPredicate::LLVMIntSGT, value, value.ty().constant(least)));
        all = Some(expansion.also(all, enough));
    }
    Some(all.map(|all| expansion.decided(all)))
}

/// A check of what was assumed of the lengths of rows.
#[allow(clippy::option_option)]
fn check_rows(expansion: &mut Expansion<'_>, cluster: &Cluster) -> Option<Option<Value>> {
    let mut all: Option<Value> = None;
    let mut known = Vec::new();
    for &(_, assumed) in &cluster.assumed {
        if known.contains(&assumed) {
            continue;
        }
        known.push(assumed);
        let (stride, extent) = (expansion.value(assumed.stride)?, expansion.value(assumed.extent)?);
        let holds = expansion.build(|builder| builder.compare(LLVMIntPredicate::LLVMIntSGE, stride, extent));
        all = Some(expansion.also(all, holds));
    }
    Some(all.map(|all| expansion.decided(all)))
}

/// A check that memory does not overlap where that is needed, and which accesses it tells apart.
fn check(expansion: &mut Expansion<'_>, cluster: &Cluster) -> Option<(Option<Value>, Vec<Group>)> {
    let (facts, region) = (expansion.facts, expansion.region);
    if cluster.checks.is_empty() {
        return Some((None, Vec::new()));
    }
    struct Range {
        base: Scev,
        low: Scev,
        high: Scev,
        /// Accesses that it covers; a call that copies memory has two.
        accesses: Vec<AccessOf>,
    }
    let mut ranges: Vec<Range> = Vec::new();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for &(x, y) in &cluster.checks {
        let mut numbers = Vec::new();
        for access_of in [x, y] {
            let (node, access) = access_of;
            let of = region.nodes[node].as_loop().expect("checks are between loops").candidate.of;
            let access = &region.nodes[node].accesses[access];
            let place = access.place.as_ref().expect("only places are checked");
            let (low, high) = facts.extremes(place.address, of)?;
            let bits = facts.bits(low);
            let high = facts.plus(high, facts.number(place.size, bits));
            let known = ranges.iter().position(|range| range.base == place.base);
            match known {
                Some(known) => {
                    let range = &mut ranges[known];
                    if !range.accesses.contains(&access_of) {
                        range.accesses.push(access_of);
                        range.low = least(facts, range.low, low, false);
                        range.high = least(facts, range.high, high, true);
                    }
                }
                None => ranges.push(Range { base: place.base, low, high, accesses: vec![access_of] }),
            }
            numbers.push(known.unwrap_or(ranges.len() - 1));
        }
        let pair = (numbers[0].min(numbers[1]), numbers[0].max(numbers[1]));
        // Pointers into different address spaces cannot be compared.
        if pair.0 == pair.1 || !facts.same_type(ranges[pair.0].low, ranges[pair.1].low) {
            return None;
        }
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    // Contraction and the vectoriser need to know the other accesses by these pointers apart as well, also the neighbours that a
    // stencil loads.
    for &member in &cluster.members {
        let of = region.nodes[member].as_loop().expect("clusters are of loops").candidate.of;
        for (at, access) in region.nodes[member].accesses.iter().enumerate() {
            let Some(place) = access.place.as_ref().filter(|_| access.time == Time::Iterations) else { continue };
            let Some(range) = ranges.iter_mut().find(|range| range.base == place.base) else { continue };
            let Some((low, high)) = facts.extremes(place.address, of) else { continue };
            let high = facts.plus(high, facts.number(place.size, facts.bits(low)));
            let is_near = |x: Scev, y: Scev| matches!(facts.form(facts.minus(x, y)), Form::Constant(_));
            if !range.accesses.contains(&(member, at)) && is_near(low, range.low) && is_near(high, range.high) {
                range.accesses.push((member, at));
                range.low = least(facts, range.low, low, false);
                range.high = least(facts, range.high, high, true);
            }
        }
    }
    let mut ends: Vec<(Value, Value)> = Vec::new();
    for range in &ranges {
        ends.push((expansion.value(range.low)?, expansion.value(range.high)?));
    }
    let mut all: Option<Value> = None;
    for &(x, y) in &pairs {
        let below = LLVMIntPredicate::LLVMIntULE;
        let before = expansion.build(|builder| builder.compare(below, ends[x].1, ends[y].0));
        let behind = expansion.build(|builder| builder.compare(below, ends[y].1, ends[x].0));
        let disjoint = expansion.build(|builder| builder.or(before, behind));
        all = Some(expansion.also(all, disjoint));
    }
    let check = all.map(|all| expansion.decided(all));
    let groups = ranges.into_iter().enumerate().map(|(number, range)| {
        let others = pairs.iter().filter_map(|&(x, y)| match number {
            _ if number == x => Some(y),
            _ if number == y => Some(x),
            _ => None,
        });
        let accesses = range.accesses.iter().map(|&(node, access)| region.nodes[node].accesses[access].instruction);
        Group { accesses: accesses.collect(), others: others.collect() }
    });
    Some((check, groups.collect()))
}

/// The lesser of two addresses, or the greater.
fn least(facts: &Facts, x: Scev, y: Scev, greatest: bool) -> Scev {
    match facts.form(facts.minus(x, y)) {
        Form::Constant(apart) => {
            if (apart >= 0) == greatest {
                x
            } else {
                y
            }
        }
        _ if greatest => facts.unsigned_max(x, y),
        _ => facts.unsigned_min(x, y),
    }
}

// Note [Order of the parts]
//
// The original order is all iterations of the first member, then all of the second, and so on. The new one is all prologues,
// the main loop, all epilogues, each in the order of members. Call an iteration's time its number plus the shift of its
// member: prologues have the times before the main loop's, epilogues those after. Two iterations of different members are
// exchanged only if the one of the later member comes first, and then its time is less than that of the other one, whatever
// parts they are in. So the parts are legal if no iteration depends on one of an earlier member with a greater time. That is
// what the shifts were chosen for.
//
// Where the loops turn out to be too short, no iteration is in the main loop: the first members run as a whole in their prologues, the
// others in their epilogues, which is the original order.
