//! Where the steady state of a fused loop begins and ends: its time is cut into pieces wherever a member starts or stops, so that within a
//! piece the same members take part all the time and no test is needed.
//!
//! A member starts where its lower bounds hold from then on, and stops where its upper bounds hold no longer: both are sets of times that
//! contain all later times. Their usual order is found at nominal parameters; see Note [Pieces] for other parameters. This module knows
//! no statements and no arrays, only times.

use frit_isl::{BasicSet, Constraint, Dim, Error, Set};

/// How finely loops are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// A piece for each set of members.
    Full,
    /// The long pieces; what is between them is one piece with tests.
    Steady,
    /// One loop with tests.
    Whole,
}

/// A part of the time of a loop.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The times, `{ [t0, ..., tk] }`.
    pub times: Set,
    /// It is as long as any other, by order of magnitude.
    pub is_steady: bool,
}

/// A parameter point that stands for all in questions of order and size.
#[derive(Clone, Debug)]
pub(super) struct Nominal {
    params: Vec<i64>,
}

/// When a member of a loop runs.
pub(super) struct Activity {
    /// The times, `{ [t0, ..., tk] }`.
    pub times: Set,
    /// No loop is between this one and the member, so that a condition that does not depend on the time of the loop would be tested in
    /// every iteration.
    pub is_innermost: bool,
}

/// A time from which on something holds.
struct Cut {
    since: Set,
    value: Option<i64>,
}

/// More convex parts of a member than these are taken together.
const MAX_PARTS: usize = 4;

impl Piece {
    /// All times of a loop.
    pub(super) fn whole(region: &Set) -> Result<Piece, Error> {
        let space = region.add_dims(Dim::Set, 1)?.get_space()?;
        Ok(Piece { times: Set::universe(&space)?, is_steady: true })
    }
}

impl Nominal {
    /// Parameters that `assumed` allows, for which as many of `wanted` (sets of parameters) as possible hold, all large if possible.
    pub(super) fn new(assumed: &Set, wanted: &[Set]) -> Result<Nominal, Error> {
        let mut allowed = assumed.clone();
        for wanted in wanted {
            let both = allowed.intersect(wanted)?;
            if !both.is_empty()? {
                allowed = both;
            }
        }
        let count = allowed.dim(Dim::Param)?;
        let mut allowed = Set::from_params(&allowed)?.move_dims(Dim::Set, 0, Dim::Param, 0, count)?;
        for param in 0..count {
            for least in [1000, 100, 10] {
                let large = allowed.lower_bound_si(Dim::Set, param, least)?;
                if !large.is_empty()? {
                    allowed = large;
                    break;
                }
            }
        }
        let mut params = Vec::with_capacity(count);
        for param in 0..count {
            let value = least(&allowed, param)?.or(greatest(&allowed, param)?).unwrap_or(0);
            allowed = fix(&allowed, Dim::Set, param, value)?;
            params.push(value);
        }
        Ok(Nominal { params })
    }

    fn fix(&self, set: &Set) -> Result<Set, Error> {
        let mut set = set.clone();
        for (param, value) in self.params.iter().enumerate() {
            set = fix(&set, Dim::Param, param, *value)?;
        }
        Ok(set)
    }
}

fn fix(set: &Set, kind: Dim, at: usize, value: i64) -> Result<Set, Error> {
    match i32::try_from(value) {
        Ok(value) => set.fix_si(kind, at, value),
        Err(_) => set.fix_val(kind, at, &frit_isl::Val::int_from_si(set.context(), value)?),
    }
}

fn least(set: &Set, at: usize) -> Result<Option<i64>, Error> {
    let value = set.dim_min_val(at)?;
    if value.is_int()? { value.to_i64().map(Some) } else { Ok(None) }
}

fn greatest(set: &Set, at: usize) -> Result<Option<i64>, Error> {
    let value = set.dim_max_val(at)?;
    if value.is_int()? { value.to_i64().map(Some) } else { Ok(None) }
}

/// The pieces of a loop in the order of time. `region` are the times of the loops round it for which it runs; together the pieces hold every time
/// at which a member is active.
pub(super) fn pieces(
    members: &[Activity],
    region: &Set,
    assumed: &Set,
    nominal: &Nominal,
    detail: Detail,
) -> Result<Vec<Piece>, Error> {
    let dims = region.dim(Dim::Set)?;
    let whole = Piece::whole(region)?.times;
    let context = region.intersect_params(assumed)?.add_dims(Dim::Set, 1)?;
    let typical = typical(members, &context, nominal, dims)?;
    let mut cuts: Vec<Cut> = Vec::new();
    for member in members {
        let times = member.times.remove_divs()?.gist(&context)?.remove_divs()?.coalesce()?;
        let mut parts = times.basic_sets()?;
        if parts.len() > MAX_PARTS {
            parts = vec![times.simple_hull()?];
        }
        for part in parts {
            for since in sides(&part, dims, member.is_innermost, &whole)? {
                let at_typical = since.intersect(&typical)?;
                let value = least(&at_typical, dims)?;
                // What always holds is no cut.
                if value.is_none() && !at_typical.is_empty()? {
                    continue;
                }
                let mut known = false;
                for cut in cuts.iter().filter(|cut| cut.value == value) {
                    known = known || cut.since.is_equal(&since)?;
                }
                if !known {
                    cuts.push(Cut { since, value });
                }
            }
        }
    }
    // What does not happen at nominal parameters comes last.
    cuts.sort_by_key(|cut| cut.value.unwrap_or(i64::MAX));
    cut(&whole, &cuts, detail)
}

/// The times of the loop at nominal parameters and in the middle of the loops round it.
fn typical(members: &[Activity], context: &Set, nominal: &Nominal, dims: usize) -> Result<Set, Error> {
    let mut outer = nominal.fix(context)?;
    for member in members {
        let both = outer.intersect(&member.times.eliminate(Dim::Set, dims, 1)?)?;
        if !both.is_empty()? {
            outer = both;
        }
    }
    for at in 0..dims {
        let (first, last) = (least(&outer, at)?, greatest(&outer, at)?);
        let middle = match (first, last) {
            (Some(first), Some(last)) => first + (last - first) / 2,
            (first, last) => first.or(last).unwrap_or(0),
        };
        let fixed = fix(&outer, Dim::Set, at, middle)?;
        outer = match first {
            Some(first) if fixed.is_empty()? => fix(&outer, Dim::Set, at, first)?,
            _ => fixed,
        };
    }
    // Only the point matters, not which times the members have in common there.
    let mut line = nominal.fix(&Set::universe(&context.get_space()?)?)?;
    for at in 0..dims {
        let value = least(&outer, at)?.unwrap_or(0);
        line = fix(&line, Dim::Set, at, value)?;
    }
    Ok(line)
}

/// Since when a part has started, and since when it is over.
fn sides(part: &BasicSet, time: usize, is_innermost: bool, whole: &Set) -> Result<[Set; 2], Error> {
    let (mut started, mut running) = (whole.clone(), whole.clone());
    for constraint in part.constraints()? {
        let sign = constraint.get_coefficient_val(Dim::Set, time)?.sgn()?;
        if sign == 0 {
            if is_innermost {
                started = started.add_constraint(&constraint)?;
            }
            continue;
        }
        let bounds = if constraint.is_equality()? {
            let aff = constraint.get_aff()?;
            let opposite = Constraint::inequality_from_aff(&aff.neg()?)?;
            vec![(Constraint::inequality_from_aff(&aff)?, sign), (opposite, -sign)]
        } else {
            vec![(constraint, sign)]
        };
        for (bound, sign) in bounds {
            let side = if sign > 0 { &mut started } else { &mut running };
            *side = side.add_constraint(&bound)?;
        }
    }
    Ok([started, running.complement()?])
}

fn cut(whole: &Set, cuts: &[Cut], detail: Detail) -> Result<Vec<Piece>, Error> {
    let lengths: Vec<i64> = (0..cuts.len())
        .map(|at| match (cuts[at].value, cuts.get(at + 1).and_then(|next| next.value)) {
            (Some(value), Some(next)) => next - value,
            _ => 0,
        })
        .collect();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let is_steady = |at: usize| lengths[at] * 2 >= longest && (lengths[at] > 0 || longest == 0);
    // The start of each piece: all of them, or just those of long ones and the ends of those.
    let starts: Vec<usize> =
        (1..cuts.len()).filter(|&at| detail == Detail::Full || is_steady(at) || is_steady(at - 1)).collect();
    let mut rest = whole.clone();
    let mut pieces = Vec::new();
    let mut first = 0;
    for start in starts.into_iter().chain([cuts.len()]) {
        let mut later = Set::empty(&whole.get_space()?)?;
        for cut in cuts.iter().skip(start) {
            later = later.union(&cut.since)?;
        }
        let later = later.coalesce()?;
        let times = rest.subtract(&later)?.coalesce()?;
        let is_steady = cuts.is_empty() || (first..start).any(is_steady);
        pieces.push(Piece { times, is_steady });
        rest = rest.intersect(&later)?.coalesce()?;
        first = start;
    }
    Ok(pieces)
}

// Note [Pieces]
//
// Let c_1, ..., c_k be the cuts in nominal order, each a set of times that contains all later ones, and V_1 all times. Piece j is what of V_j is
// before all later cuts, V_{j+1} what of V_j is after any of them. V_j contains all later times too, so the pieces are in the order of time
// whatever the parameters are, and they are disjoint and complete by construction: statements are intersected with the pieces, so
// the nominal order decides how many tests are left, never what is right. In piece j no member that starts later has started, and no
// member that is active at nominal parameters has stopped. If the cuts come in the nominal order, V_j is c_j, and no test is left in any
// piece. If they do not (a loop of three iterations in a pipeline of five stages), tests are left in pieces after the first cut out of order,
// that is, in those that are short.
