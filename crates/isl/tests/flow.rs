//! Dependences of a small program.

use frit_isl::{Context, Result, UnionAccessInfo, UnionMap};

/// Checks that a relation is the one that a text gives.
fn same(found: &UnionMap, expected: &str) -> Result<()> {
    assert!(found.is_equal(&UnionMap::parse(found.context(), expected)?)?, "{found}");
    Ok(())
}

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
    same(&flow.get_may_dependence()?, expected)?;
    let expected = "[n] -> { T[0] -> a[-1] : n > 0 }";
    same(&flow.get_must_no_source()?, expected)?;
    same(&flow.get_may_no_source()?, expected)?;
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
    same(&flow.get_may_dependence()?, "{ S[] -> T[]; M[] -> T[] }")?;
    let alone = accesses.compute_flow()?;
    same(&alone.get_may_dependence()?, "{ S[] -> T[] }")?;
    Ok(())
}
