//! Why loops were not fused, as data: what would be wrong, and what would not pay. `docs/llvm.md` explains every code.

use std::fmt;

/// Why a loop, or a pair of loops, is not fused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    // About one loop: [LLVM] section 4.1.
    /// Something may jump into the loop that is no branch.
    AddressTaken,
    /// A call in it may throw.
    MayThrow { call: String },
    /// A call, or a loop in it, may never end.
    MayNotReturn { what: String },
    /// Its volatile accesses are seen from outside in their order.
    VolatileAccess,
    /// It orders the accesses of this thread for others.
    AtomicOrdering,
    /// A call in it must be executed by all threads of a group together.
    ConvergentCall,
    /// How often it is executed cannot be computed before it begins; `anew` if each iteration loads the bound.
    NoTripCount { anew: bool },
    /// It can be left at several places.
    SeveralExits,
    /// It cannot be brought into a form with one preheader and one latch.
    IrregularControlFlow,

    // About a pair: [LLVM] section 5.
    /// An iteration of the first loop must run before one of the second that the fused loop would run earlier.
    BackwardDependence { distance: Option<i64> },
    /// Two pointers may be into the same memory, and that cannot be checked cheaply when the program runs; `anew` if each
    /// iteration loads one of them.
    MayAlias { anew: bool },
    /// The second loop uses a value that is complete only when the first is over.
    ValueUsedAcross { value: String },
    /// What lies between depends on the first loop, and the second on it.
    CodeBetween { what: String },
    /// What is executed once before or after one of the loops touches what the other one does.
    PreheaderCode,
    /// They are not always executed one after the other: a branch, or a call that never returns, is between.
    BranchBetween { what: String },
    /// A call in one of them may touch what the other one does; or it does no more than to set `errno`.
    CallMemory { call: String, sets_errno: bool },
    /// Their numbers of iterations may be too large to compute with.
    TripCountOverflow,

    // What would not pay.
    /// They share no data, as far as is known; `sure` if they cannot, `anew` if both load a pointer from the same place.
    NoReuse { sure: bool, anew: bool },
    /// One can be executed on vectors, and with the other one, perhaps because of a call in that, could not.
    VectorisationLost { call: String },
    /// Both can be executed on vectors, and one loop could not: it would load what it stored so many iterations ago.
    ReadsLate { iterations: i64 },
    /// More streams of memory than the hardware follows.
    TooManyStreams { streams: usize },
    /// More values than there are registers.
    RegisterPressure { values: usize },
    /// A call in one of them does not preserve the values that go round the other one.
    CallPressure { call: String },
    /// What they share stays in the cache anyway.
    CacheFootprint,
    /// The loop would have to be shifted, or grow, too much.
    CodeGrowth(Growth),
    /// Other fusions, that exclude this one, save more.
    BetterApart,
}

/// What would grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    /// Iterations that the loops do not have in common.
    Apart,
    /// The body.
    Length,
    /// Code that is optimised for its size.
    Small,
    /// Checks, made again in each iteration of a loop around.
    Checks,
}

impl Refusal {
    /// It is about one loop, whatever the other one is.
    pub(crate) fn is_about_one(&self) -> bool {
        matches!(
            self,
            Refusal::AddressTaken
                | Refusal::MayThrow { .. }
                | Refusal::MayNotReturn { .. }
                | Refusal::VolatileAccess
                | Refusal::AtomicOrdering
                | Refusal::ConvergentCall
                | Refusal::NoTripCount { .. }
                | Refusal::SeveralExits
                | Refusal::IrregularControlFlow
        )
    }

    /// It is about what lies between the loops.
    pub(crate) fn is_between(&self) -> bool {
        matches!(self, Refusal::CodeBetween { .. } | Refusal::PreheaderCode | Refusal::BranchBetween { .. })
    }

    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Refusal::AddressTaken => "address-taken",
            Refusal::MayThrow { .. } => "may-throw",
            Refusal::MayNotReturn { .. } => "may-not-return",
            Refusal::VolatileAccess => "volatile-access",
            Refusal::AtomicOrdering => "atomic-ordering",
            Refusal::ConvergentCall => "convergent-call",
            Refusal::NoTripCount { .. } => "no-trip-count",
            Refusal::SeveralExits => "several-exits",
            Refusal::IrregularControlFlow => "irregular-control-flow",
            Refusal::BackwardDependence { .. } => "backward-dependence",
            Refusal::MayAlias { .. } => "may-alias",
            Refusal::ValueUsedAcross { .. } => "value-used-across",
            Refusal::CodeBetween { .. } => "code-between",
            Refusal::PreheaderCode => "preheader-code",
            Refusal::BranchBetween { .. } => "branch-between",
            Refusal::CallMemory { .. } => "call-memory",
            Refusal::TripCountOverflow => "trip-count-overflow",
            Refusal::NoReuse { .. } => "no-reuse",
            Refusal::VectorisationLost { .. } | Refusal::ReadsLate { .. } => "vectorisation-lost",
            Refusal::TooManyStreams { .. } => "too-many-streams",
            Refusal::RegisterPressure { .. } | Refusal::CallPressure { .. } => "register-pressure",
            Refusal::CacheFootprint => "cache-footprint",
            Refusal::CodeGrowth(_) => "code-growth",
            Refusal::BetterApart => "better-apart",
        }
    }

    /// The fusion would be right, and was left out because it would not pay.
    pub(crate) fn is_choice(&self) -> bool {
        match self {
            Refusal::NoReuse { .. }
            | Refusal::VectorisationLost { .. }
            | Refusal::ReadsLate { .. }
            | Refusal::TooManyStreams { .. }
            | Refusal::RegisterPressure { .. }
            | Refusal::CallPressure { .. }
            | Refusal::CacheFootprint
            | Refusal::CodeGrowth(_)
            | Refusal::BetterApart => true,
            Refusal::AddressTaken
            | Refusal::MayThrow { .. }
            | Refusal::MayNotReturn { .. }
            | Refusal::VolatileAccess
            | Refusal::AtomicOrdering
            | Refusal::ConvergentCall
            | Refusal::NoTripCount { .. }
            | Refusal::SeveralExits
            | Refusal::IrregularControlFlow
            | Refusal::BackwardDependence { .. }
            | Refusal::MayAlias { .. }
            | Refusal::ValueUsedAcross { .. }
            | Refusal::CodeBetween { .. }
            | Refusal::PreheaderCode
            | Refusal::BranchBetween { .. }
            | Refusal::CallMemory { .. }
            | Refusal::TripCountOverflow => false,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |name: &String| if name.is_empty() { String::new() } else { format!(" of `{name}`") };
        match self {
            Refusal::AddressTaken => f.write_str("the address of a block in it is taken"),
            Refusal::MayThrow { call } => write!(f, "a call{} in it may throw", of(call)),
            Refusal::MayNotReturn { what } => write!(f, "{what} in it may not return"),
            Refusal::VolatileAccess => f.write_str("it has a volatile access"),
            Refusal::AtomicOrdering => {
                f.write_str("it has an atomic access, or a fence, that orders other accesses too")
            }
            Refusal::ConvergentCall => f.write_str("it has a convergent call"),
            Refusal::NoTripCount { anew: true } => f.write_str(
                "its number of iterations is loaded anew in each iteration, and may change; a local variable for it would help",
            ),
            Refusal::NoTripCount { .. } => f.write_str("its number of iterations cannot be computed before it begins"),
            Refusal::SeveralExits => f.write_str("it can be left at several places"),
            Refusal::IrregularControlFlow => {
                f.write_str("it cannot be brought into a form with one preheader, one latch and its exit there")
            }
            Refusal::BackwardDependence { distance: Some(distance) } => {
                write!(f, "an iteration of the second may need one of the first that is {distance} iterations later")
            }
            Refusal::BackwardDependence { distance: None } => {
                f.write_str("iterations of the second may need later ones of the first, by no constant distance")
            }
            Refusal::MayAlias { anew: true } => f.write_str(
                "a pointer is loaded anew in each iteration, and may change; a local variable for each pointer would help",
            ),
            Refusal::MayAlias { .. } => {
                f.write_str("two of their pointers may be into the same memory, and no cheap check can tell")
            }
            Refusal::ValueUsedAcross { value } => {
                let named = if value.is_empty() { String::new() } else { format!(" `{value}`") };
                write!(f, "the second uses the value{named} that is complete only after the first")
            }
            Refusal::CodeBetween { what } => {
                write!(f, "{what} between them depends on the first, and the second on it")
            }
            Refusal::PreheaderCode => {
                f.write_str("what is executed once before or after one of them touches what the other one does")
            }
            Refusal::BranchBetween { what } => {
                if what.is_empty() {
                    f.write_str("a branch decides whether both are executed")
                } else {
                    write!(f, "{what} between them may end the program")
                }
            }
            Refusal::CallMemory { call, sets_errno: true } => write!(
                f,
                "a call{} in one of them may set `errno`, which may be what the other one touches; `-fno-math-errno` rules \
                 that out",
                of(call)
            ),
            Refusal::CallMemory { call, .. } => {
                write!(f, "a call{} in one of them may touch what the other one does", of(call))
            }
            Refusal::TripCountOverflow => f.write_str(
                "their numbers of iterations cannot be computed with before both: they may be too large, or come too late",
            ),
            Refusal::NoReuse { anew: true, .. } => f.write_str(
                "they are not known to share data, as a pointer is loaded anew for the second and may have changed between",
            ),
            Refusal::NoReuse { sure: true, .. } => f.write_str("they share no data"),
            Refusal::NoReuse { .. } => f.write_str("they are not known to share data"),
            Refusal::VectorisationLost { call } if !call.is_empty() => {
                write!(f, "the call of `{call}` keeps one of them from being executed on vectors, and would keep the other one")
            }
            Refusal::VectorisationLost { .. } => {
                f.write_str("one can be executed on vectors, and together with the other one could not")
            }
            Refusal::ReadsLate { iterations } => write!(
                f,
                "one loop would load what it stored {iterations} iterations earlier, and could not be executed on vectors"
            ),
            Refusal::TooManyStreams { streams } => {
                write!(f, "together they would follow {streams} streams of memory")
            }
            Refusal::RegisterPressure { values } => {
                write!(f, "together they would keep {values} values in registers throughout, more than there are")
            }
            Refusal::CallPressure { call } => write!(
                f,
                "a call{} in one of them would make values that go round the other one be stored and loaded in each iteration",
                of(call)
            ),
            Refusal::CacheFootprint => f.write_str("what they share stays in the nearest cache anyway"),
            Refusal::BetterApart => f.write_str("other fusions, that exclude this one, save more"),
            Refusal::CodeGrowth(Growth::Apart) => {
                f.write_str("too many iterations would have to be executed apart")
            }
            Refusal::CodeGrowth(Growth::Length) => f.write_str("together they would have too many instructions"),
            Refusal::CodeGrowth(Growth::Small) => f.write_str("the code would grow, and is to be small"),
            Refusal::CodeGrowth(Growth::Checks) => {
                f.write_str("a check would have to be made again and again, and costs more than is saved")
            }
        }
    }
}
