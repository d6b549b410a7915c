//! The exact solver: branch and bound on the integer program, with cuts. Every branch is reduced before it is bounded, and
//! the criteria of the objective are bounded one after the other: a branch goes on only if it may hold a partition that is
//! better in the first criterion in which it differs from the best one known.

use super::cuts;
use super::greedy::{Merging, improve};
use super::loops;
use super::problem::{Partition, Problem, Score};
use super::reduce;
use super::relaxation::{Cut, Fractional, Relaxation, Solved, TOLERANCE, WHOLE, rounding_error};
use crate::deadline::Deadline;

/// Work after which a search gives up, if it is the first: pivots times rows, which is proportional to time and the same on every machine.
const WORK: u64 = 6_000_000;

/// Cuts are added as long as a round of them gains this part of what is missing to the best partition known.
const TAIL: f64 = 0.05;

/// Work that a branch costs in addition.
const BRANCH_WORK: u64 = 200;

/// A part of the search space: partitions of a problem derived from the original one by merges, folds and separations.
struct Branch {
    problem: Problem,
    /// The original nodes that each node stands for.
    members: Vec<Vec<usize>>,
    /// The original nodes that have been folded.
    folded: Vec<usize>,
    cuts: Vec<Cut>,
}

/// How a branch is divided in two.
enum Choice {
    Merge(usize, usize),
    Fold(usize),
}

/// The state of the search.
struct Search<'a> {
    original: &'a Problem,
    best: Partition,
    score: Score,
    work: u64,
    most: u64,
    how: &'a How<'a>,
}

/// What is to be proven.
pub(super) struct How<'a> {
    /// So many criteria of the first partition are known to be the best.
    pub(super) proved: usize,
    /// The number of clusters too. Clusters have to be limited by their dependences alone.
    pub(super) proves_loops: bool,
    pub(super) deadline: &'a Deadline,
}

/// A best partition, given a legal one; `Err` with the best one found if the search was given up. `spent` is what searches for the same program took
/// before: whenever that has grown by [`WORK`], those that follow get half as much, so that programs of many hard graphs are planned in seconds too.
pub(super) fn exact(original: &Problem, start: Partition, spent: &mut u64, how: &How) -> Result<Partition, Partition> {
    let most = WORK >> (*spent / WORK).min(63);
    let mut search = Search { original, score: original.score(&start), best: start, work: 0, most, how };
    let is_proven = search.run();
    *spent += search.work;
    if is_proven { Ok(search.best) } else { Err(search.best) }
}

/// The simplex method failed, or took too much work.
struct GiveUp;

impl Search<'_> {
    /// Searches until nothing better is left; false if that is given up.
    fn run(&mut self) -> bool {
        let mut open = vec![Branch {
            problem: self.original.clone(),
            members: (0..self.original.nodes).map(|node| vec![node]).collect(),
            folded: Vec::new(),
            cuts: Vec::new(),
        }];
        while self.work <= self.most
            && !self.how.deadline.is_over()
            && let Some(branch) = open.pop()
        {
            self.work += BRANCH_WORK;
            match self.explore(branch) {
                Ok(branches) => open.extend(branches),
                Err(GiveUp) => return false,
            }
        }
        open.is_empty()
    }

    /// Keeps the partition of a branch's problem if it is the best one so far; true if it is.
    fn consider(&mut self, branch: &Branch, partition: &Partition) -> bool {
        let mut whole = partition.expand(&branch.members, self.original.nodes);
        branch.folded.iter().for_each(|&node| whole.folded[node] = true);
        if self.how.proves_loops {
            whole = loops::fewest(self.original, whole);
        }
        let score = self.original.score(&whole);
        let better = score < self.score && self.original.order(&whole).is_some();
        if better {
            (self.best, self.score) = (whole, score);
        }
        better
    }

    /// The parts of a branch that may hold something better than the best partition known; the last is to be tried first.
    fn explore(&mut self, branch: Branch) -> Result<Vec<Branch>, GiveUp> {
        let Some((problem, members)) = reduce::reduce(branch.problem, branch.members) else {
            return Ok(Vec::new());
        };
        let mut branch = Branch { problem, members, ..branch };
        if self.how.proves_loops {
            let whole = Partition::identity(branch.problem.nodes).expand(&branch.members, self.original.nodes);
            let least = loops::of_merges(self.original, &whole);
            // Merges that are made are not undone, and others do not make fewer loops necessary.
            if least.is_none_or(|least| least as i128 >= self.score[self.score.len() - 1]) {
                return Ok(Vec::new());
            }
        }
        self.consider(&branch, &improve(&branch.problem, Partition::identity(branch.problem.nodes), self.how.deadline));
        let Some(choice) = self.bound(&mut branch)? else {
            return Ok(Vec::new());
        };
        let Branch { problem, members, folded, cuts } = branch;
        Ok(match choice {
            Choice::Merge(one, other) => {
                let merged = reduce::force(&problem, &members, one, other);
                let mut apart = problem;
                apart.compatible.remove(one, other);
                apart.compatible.remove(other, one);
                let mut parts = vec![Branch { problem: apart, members, folded: folded.clone(), cuts: cuts.clone() }];
                parts.extend(merged.map(|(problem, members)| Branch { problem, members, folded, cuts }));
                parts
            }
            Choice::Fold(node) => {
                let mut more = folded.clone();
                more.extend(&members[node]);
                let into = problem.fold(node);
                let mut kept = problem;
                kept.folds[node] = None;
                kept.find_inherited();
                vec![
                    Branch { problem: kept, members: members.clone(), folded, cuts: cuts.clone() },
                    Branch { problem: into, members, folded: more, cuts },
                ]
            }
        })
    }

    /// What to divide the branch by; `None` if nothing in it is better than the best partition known.
    fn bound(&mut self, branch: &mut Branch) -> Result<Option<Choice>, GiveUp> {
        let relaxation = Relaxation::new(&branch.problem);
        let names: Vec<usize> = branch.members.iter().map(|members| members[0]).collect();
        let mut nodes = vec![usize::MAX; self.original.nodes];
        for (node, members) in branch.members.iter().enumerate() {
            members.iter().for_each(|&member| nodes[member] = node);
        }
        let mut criterion = self.how.proved;
        let mut last = f64::NEG_INFINITY;
        while criterion < self.score.len() - 1 {
            if self.work > self.most || self.how.deadline.is_over() {
                return Err(GiveUp);
            }
            if let Some(value) = relaxation.constant(criterion) {
                match compare(value, self.score[criterion]) {
                    Compared::Worse => return Ok(None),
                    Compared::Equal => criterion += 1,
                    Compared::MayBeBetter => return Ok(any_choice(&relaxation)),
                }
                continue;
            }
            let reached = &self.score[..criterion];
            let work = &mut self.work;
            let solved = relaxation.minimise(criterion, reached, &branch.cuts, &nodes, work, self.how.deadline);
            let solution = match solved {
                Solved::Optimal(solution) => solution,
                Solved::Infeasible => return Ok(None),
                Solved::Failed => return Err(GiveUp),
            };
            match compare(solution.value, self.score[criterion]) {
                Compared::Worse => return Ok(None),
                Compared::Equal => {
                    (criterion, last) = (criterion + 1, f64::NEG_INFINITY);
                    continue;
                }
                Compared::MayBeBetter => {}
            }
            let found = cuts::violated(&branch.problem, &relaxation, &solution, &names);
            let rounded = round(&branch.problem, &relaxation, &solution);
            let gained = solution.value - last;
            if gained > WHOLE {
                branch.cuts.retain(|cut| relaxation.is_tight(&solution, cut, &nodes));
            }
            branch.cuts.extend(found.iter().cloned());
            if self.consider(branch, &improve(&branch.problem, rounded, self.how.deadline)) {
                (criterion, last) = (self.how.proved, f64::NEG_INFINITY);
                continue;
            }
            // Where cuts gain little any more, it is better to divide.
            let missing = self.score[criterion] as f64 - solution.value;
            if found.is_empty() || gained < TAIL * missing {
                match fractional(&relaxation, &solution) {
                    Some(choice) => return Ok(Some(choice)),
                    None if found.is_empty() => return Ok(any_choice(&relaxation)),
                    None => {}
                }
            }
            last = solution.value;
        }
        // As good as the best so far in all criteria but the last.
        Ok(if self.how.proves_loops { any_choice(&relaxation) } else { None })
    }
}

/// How the least value of a criterion in a branch compares to the best one known.
enum Compared {
    MayBeBetter,
    Equal,
    Worse,
}

/// Scores are whole numbers, so a bound counts as the next one above it. See `Note [Rounding]` in `relaxation`.
fn compare(bound: f64, best: i128) -> Compared {
    let (best, error) = (best as f64, rounding_error(best));
    if bound <= best - 1.0 + error {
        Compared::MayBeBetter
    } else if bound <= best + error {
        Compared::Equal
    } else {
        Compared::Worse
    }
}

/// The partition that a solution points at.
fn round(problem: &Problem, relaxation: &Relaxation, solution: &Fractional) -> Partition {
    let mut partition = Partition::identity(problem.nodes);
    for node in relaxation.foldable().filter(|&node| relaxation.folded(solution, node) > 0.5) {
        partition.folded[node] = true;
        if problem.order(&partition).is_none() {
            partition.folded[node] = false;
        }
    }
    let mut pairs: Vec<(f64, usize, usize)> =
        relaxation.pairs().map(|(one, other)| (relaxation.merged(solution, one, other), one, other)).collect();
    pairs.retain(|(value, ..)| *value > 0.2);
    pairs.sort_by(|one, other| other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))));
    let mut merging = Merging::new(problem, partition);
    for (_, one, other) in pairs {
        merging.try_merge(one, other);
    }
    merging.partition
}

/// What the solution is most undecided about.
fn fractional(relaxation: &Relaxation, solution: &Fractional) -> Option<Choice> {
    let undecided = |value: f64| 0.5 - (value - 0.5).abs();
    let folds = relaxation.foldable().map(|node| (undecided(relaxation.folded(solution, node)), Choice::Fold(node)));
    let pairs = relaxation.pairs();
    let merges =
        pairs.map(|(one, other)| (undecided(relaxation.merged(solution, one, other)), Choice::Merge(one, other)));
    let all = folds.chain(merges).filter(|(undecided, _)| *undecided > WHOLE);
    // Of equals the first is taken.
    all.reduce(|best, next| if next.0 > best.0 + TOLERANCE { next } else { best }).map(|(_, choice)| choice)
}

/// Anything that is open.
fn any_choice(relaxation: &Relaxation) -> Option<Choice> {
    let fold = relaxation.foldable().next().map(Choice::Fold);
    fold.or_else(|| relaxation.pairs().next().map(|(one, other)| Choice::Merge(one, other)))
}
