//! Nothing is lost: a context that goes while objects of it are left is reported by isl on standard error.

use std::env;
use std::process::Command;

use frit_isl::{AstBuild, Context, Error, PwAff, PwMultiAff, Result, Set, UnionAccessInfo, UnionMap};

/// What each call does when its work is bounded more and more tightly, so that it fails at all the places it can.
fn fail_everywhere() -> Result<()> {
    let context = Context::new();
    let set = Set::parse(&context, "[n] -> { S[i, j] : 0 <= i < n and i <= j < 2n and (exists a : 3a = i + j) }")?;
    let square = Set::parse(&context, "{ [i, j] : 0 <= i, j < 5 }")?;
    let schedule =
        UnionMap::parse(&context, "[n] -> { S[i] -> [i, 0] : 0 <= i < n; T[i] -> [i + 2, 1] : 0 <= i < n }")?;
    let writes = UnionMap::parse(&context, "[n] -> { S[i] -> a[i] : 0 <= i < n }")?;
    let reads = UnionMap::parse(&context, "[n] -> { T[i] -> a[i]; T[i] -> a[i - 1] }")?;
    let build = AstBuild::from_context(&Set::parse(&context, "{ : }")?)?;

    let calls: [&dyn Fn() -> Result<()>; 8] = [
        &|| set.complement()?.coalesce().map(drop),
        &|| set.dim_max(1)?.pieces().map(drop),
        &|| square.points().map(drop),
        &|| set.compute_divs()?.basic_sets()?.iter().try_for_each(|piece| piece.constraints().map(drop)),
        &|| schedule.union(&reads)?.maps().map(drop),
        &|| {
            let accesses = UnionAccessInfo::from_sink(&reads)?.set_must_source(&writes)?.set_schedule_map(&schedule)?;
            accesses.compute_flow()?.get_may_dependence().map(drop)
        },
        &|| {
            let inverse = PwMultiAff::from_map(&schedule.maps()?[0].reverse()?)?;
            inverse.get_at(0)?.coalesce()?;
            build.node_from_schedule_map(&schedule)?.kind().map(drop)
        },
        &|| {
            PwAff::parse(&context, "[n] -> { [n] : n > 0; [-n] : n <= 0 }")?
                .sub(&PwAff::parse(&context, "{ [1] }")?)
                .map(drop)
        },
    ];
    for call in calls {
        let mut failures = 0;
        let is_quota = |result: &Result<()>| result.as_ref().is_err_and(Error::is_quota);
        for max in (1..200).chain((200..10_000).step_by(97)) {
            let result = context.bounded(max, call);
            failures += usize::from(is_quota(&result));
            if result.is_ok() {
                break;
            }
        }
        assert!(failures > 0);
        call()?;
    }

    let elsewhere = Set::parse(&Context::new(), "{ S[i, j] }")?;
    assert!(set.union(&elsewhere).is_err() && set.union(&square).is_err());
    assert!(Set::parse(&context, "{ S[i] : i > ").is_err());
    Ok(())
}

#[test]
fn nothing_is_left_in_a_context_after_errors() -> Result<()> {
    /// Set in the process that does the work, whose standard error is read here.
    const WORKER: &str = "FRIT_ISL_LEAKS_WORKER";
    if env::var_os(WORKER).is_some() {
        return fail_everywhere();
    }
    let arguments = ["--exact", "nothing_is_left_in_a_context_after_errors", "--nocapture"];
    let output = Command::new(env::current_exe().unwrap()).args(arguments).env(WORKER, "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("still reference"), "{said}");
    Ok(())
}
