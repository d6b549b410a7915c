//! Dependences of a small program.

use frit_isl::{Context, Result, UnionAccessInfo, UnionMap};

/// `for i: S: a[i] = ...; for i: T: ... = a[i] + a[i - 1];`, one loop after the other.
#[test]
fn reads_depend_on_the_last_write_before_them() -> Result<()> {
    let context = Context::new();
    let domain = "0 <= i < n";
    let writes = UnionMap::parse(&context, &format!("[n] -> {{ S[i] -> a[i] : {domain} }}"))?;
    let reads =
        UnionMap::parse(&context, &format!("[n] -> {{ T[i] -> a[i] : {domain}; T[i] -> a[i - 1] : {domain} }}"))?;
    let order = UnionMap::parse(&context, "{ S[i] -> [0, i]; T[i] -> [1, i] }")?;
    let flow =
        UnionAccessInfo::from_sink(&reads)?.set_must_source(&writes)?.set_schedule_map(&order)?.compute_flow()?;

    let expected = "[n] -> { S[i] -> T[i] : 0 <= i < n; S[i] -> T[i + 1] : 0 <= i < n - 1 }";
    assert!(flow.get_must_dependence()?.is_equal(&UnionMap::parse(&context, expected)?)?);
    let expected = "[n] -> { T[0] -> a[-1] : n > 0 }";
    assert!(flow.get_must_no_source()?.is_equal(&UnionMap::parse(&context, expected)?)?);
    let full = "[n] -> { S[i] -> [T[i] -> a[i]] : 0 <= i < n; S[i] -> [T[i + 1] -> a[i]] : 0 <= i < n - 1 }";
    assert!(flow.get_full_must_dependence()?.is_equal(&UnionMap::parse(&context, full)?)?);

    // In one loop both reads still come after their writes; turned round, none does.
    let one_loop = UnionMap::parse(&context, "{ S[i] -> [i, 0]; T[i] -> [i, 1] }")?;
    let violated = flow.get_must_dependence()?.intersect(&one_loop.lex_ge_union_map(&one_loop)?)?;
    assert!(violated.is_empty()?);
    let turned = UnionMap::parse(&context, "{ S[i] -> [-i, 0]; T[i] -> [-i, 1] }")?;
    let violated = flow.get_must_dependence()?.intersect(&turned.lex_ge_union_map(&turned)?)?;
    let expected = "[n] -> { S[i] -> T[i + 1] : 0 <= i < n - 1 }";
    assert!(violated.is_equal(&UnionMap::parse(&context, expected)?)?);
    Ok(())
}

#[test]
fn a_write_that_may_happen_hides_nothing() -> Result<()> {
    let context = Context::new();
    let sure = UnionMap::parse(&context, "{ S[] -> a[] }")?;
    let maybe = UnionMap::parse(&context, "{ M[] -> a[] }")?;
    let reads = UnionMap::parse(&context, "{ T[] -> a[] }")?;
    let order = UnionMap::parse(&context, "{ S[] -> [0]; M[] -> [1]; T[] -> [2] }")?;
    let accesses = UnionAccessInfo::from_sink(&reads)?.set_must_source(&sure)?.set_schedule_map(&order)?;
    let flow = accesses.set_may_source(&maybe)?.compute_flow()?;
    let both = UnionMap::parse(&context, "{ S[] -> T[]; M[] -> T[] }")?;
    assert!(flow.get_may_dependence()?.is_equal(&both)?);

    let killed = accesses.set_kill(&UnionMap::parse(&context, "{ M[] -> a[] }")?)?.compute_flow()?;
    assert!(killed.get_may_dependence()?.is_empty()?);
    Ok(())
}
