//! The verifier accepts well-formed programs and names what is broken in others: one test per invariant.

use frit_ir::array::alias::Aliases;
use frit_ir::array::parse::parse_program;
use frit_ir::array::verify::{Invariant, VerifyError, verify};
use frit_ir::array::{Operand, Program, Value};

fn parse(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn accept(text: &str) {
    verify(&parse(text)).unwrap_or_else(|error| panic!("{error}\n{text}"));
}

fn reject(invariant: Invariant, text: &str) -> VerifyError {
    let error = verify(&parse(text)).expect_err(text);
    assert_eq!(error.invariant, invariant, "{error}\n{text}");
    error
}

/// A function of an owned array `%1` and a borrowed one `%2` of length `%0`, and an index `%3`; statements may use `%10` and on.
fn with_arrays(statements: &str, results: &str) -> String {
    format!("func @f[%0](%1: *f64[%0], %2: f64[%0], %3: i64) -> ({results}) {{\n{statements}\n}}\n")
}

/// A function of a scalar `%0`, an index `%1` and a matrix `%2`.
fn with_scalars(statements: &str) -> String {
    format!("func @f(%0: f64, %1: i64, %2: f64[4, 5]) -> () {{\n{statements}\nreturn\n}}\n")
}

#[test]
fn the_corpus_is_well_formed() {
    for text in
        [include_str!("corpus/operations.ir"), include_str!("corpus/control.ir"), include_str!("corpus/with_loops.ir")]
    {
        accept(text);
    }
}

#[test]
fn functions_have_distinct_names() {
    let mut program = parse("func @f() -> () { return }\nfunc @g() -> () { return }");
    program.funcs.iter_mut().for_each(|(_, func)| func.name = "f".into());
    assert_eq!(verify(&program).map_err(|error| error.invariant), Err(Invariant::Functions));
}

#[test]
fn a_value_is_defined_once() {
    let mut program = parse("func @f() -> () { %0: i64 = add 1, 2\n%1: i64 = add 1, 2\nreturn }");
    program.funcs.iter_mut().for_each(|(_, func)| func.body.stmts[1].results = func.body.stmts[0].results.clone());
    assert_eq!(verify(&program).map_err(|error| error.invariant), Err(Invariant::DefinedOnce));
}

#[test]
fn a_value_outside_the_tables_is_reported_not_a_panic() {
    let mut program = parse("func @f() -> () { %0: i64 = add 1, 2\nreturn }");
    let stranger = <Value as frit_support::Index>::new(77);
    program.funcs.iter_mut().for_each(|(_, func)| func.body.stmts[0].results[0] = stranger);
    assert_eq!(verify(&program).map_err(|error| error.invariant), Err(Invariant::InScope));
    let mut program = parse("func @f() -> (i64) { return 1 }");
    program.funcs.iter_mut().for_each(|(_, func)| func.body.results[0] = Operand::Value(stranger));
    assert_eq!(verify(&program).map_err(|error| error.invariant), Err(Invariant::InScope));
}

#[test]
fn a_value_is_used_in_its_scope() {
    reject(Invariant::InScope, "func @f() -> (i64) { %1: i64 = add %0, 1\n%0: i64 = add 1, 1\nreturn %1 }");
    reject(
        Invariant::InScope,
        "func @f(%0: bool) -> (i64) { %1: i64 = if %0 { %2: i64 = add 1, 1\nyield %2 } else { yield 2 }\nreturn %2 }",
    );
    // The extent of a result's type is out of scope where the result is defined.
    reject(
        Invariant::InScope,
        "func @f(%0: bool) -> (f64[?]) {
           %1: f64[%2] = if %0 { %2: i64 = add 1, 1\n%3: f64[%2] = replicate %2, 0.0\nyield %3 }
             else { %4: f64[2] = replicate 2, 0.0\nyield %4 }
           return %1
         }",
    );
}

#[test]
fn the_error_shows_the_statement() {
    let error = reject(Invariant::OperandType, &with_scalars("%10: f64 = add %0, 1"));
    assert_eq!(error.stmt, "%10: f64 = add %0, 1");
    assert!(error.to_string().contains("function `f`"), "{error}");
}

#[test]
fn operations_have_as_many_operands_and_results_as_they_need() {
    reject(Invariant::Arity, &with_scalars("%10: f64 = index %2[%1, %1, %1]"));
    reject(Invariant::Arity, &with_scalars("%10: f64[4, 5] = index %2[]"));
    reject(Invariant::Arity, &with_scalars("%10: f64[5, 4] = view %2 permute(1, 1)"));
    reject(Invariant::Arity, &with_scalars("%10: cert = assert true, out-of-bounds(1)"));
    reject(Invariant::Arity, &with_scalars("%10: f64, %11: f64 = add %0, %0"));
    reject(Invariant::Arity, &with_scalars("%10: f64 = if true { yield 1.0 } else { yield 1.0, 2.0 }"));
    reject(Invariant::Arity, &with_scalars("%10: f64 = for %11 < 3 (%12: f64 = 0.0) { yield }"));
    reject(Invariant::Arity, &with_scalars("%10: f64[0] = array []"));
    reject(
        Invariant::Arity,
        &with_scalars("%10: f64[0] = w0: with (%11) in [3] { [0] <= iv < [3] { yield } } : genarray"),
    );
    reject(
        Invariant::Arity,
        &with_scalars(
            "%10: f64 = w0: with (%11) in [3] { [0] <= iv < [3] { yield 1.0 } } : fold (0.0) by (%12: f64) { yield %12 }",
        ),
    );
    reject(Invariant::Arity, "func @f() -> (i64) { return }");
    reject(Invariant::Arity, "func @f() -> () { call @g(1)\nreturn }\nfunc @g() -> () { return }");
}

#[test]
fn operands_have_the_types_that_operations_need() {
    reject(Invariant::OperandType, &with_scalars("%10: f64 = add %0, %1"));
    reject(Invariant::OperandType, &with_scalars("%10: f64 = shl %0, %0"));
    reject(Invariant::OperandType, &with_scalars("%10: i64 = sqrt %1"));
    reject(Invariant::OperandType, &with_scalars("%10: f64 = index %2[%0, %1]"));
    reject(Invariant::OperandType, &with_scalars("%10: f64 = index %0[%1]"));
    reject(Invariant::OperandType, &with_scalars("%10: f64 = select %1, %0, %0"));
    reject(Invariant::OperandType, &with_scalars("%10: i64[?] = iota 1.0").replace("[?]", "[3]"));
    reject(Invariant::OperandType, &with_scalars("%10: f64[4, 5] = update %2[0] = %0"));
    reject(Invariant::OperandType, &with_scalars("%10: f64 = if %1 { yield 1.0 } else { yield 1.0 }"));
    reject(Invariant::OperandType, &with_scalars("%10: f64 = for %11 < 3 (%12: f64 = 0) { yield %12 }"));
    reject(Invariant::OperandType, &with_scalars("%10: f64 = for %11 < 3 (%12: f64 = 0.0) { yield %11 }"));
    reject(Invariant::OperandType, &with_scalars("%10: f64 = while (%12: f64 = 0.0) { yield %12 } do { yield %12 }"));
    reject(Invariant::OperandType, &with_scalars("%10: f64 = for %11 < 3 (%12: *f64 = 0.0) { yield %12 }"));
    reject(
        Invariant::OperandType,
        &with_scalars(
            "%10: f64 = w0: with (%11) in [3] { [0] <= iv < [3] { yield %11 } } : fold (0.0) by (%12: f64, %13: f64) { yield %12 }",
        ),
    );
    reject(Invariant::OperandType, "func @f() -> () { call @g(1)\nreturn }\nfunc @g(%0: f64) -> () { return }");
    reject(Invariant::OperandType, "func @f(%0: *i64) -> () { return }");
}

#[test]
fn results_have_the_types_that_operations_make() {
    reject(Invariant::ResultType, &with_scalars("%10: f64 = lt %0, %0"));
    reject(Invariant::ResultType, &with_scalars("%10: f64 = index %2[%1]"));
    reject(Invariant::ResultType, &with_scalars("%10: f64[4] = view %2 slice(0, 0)"));
    reject(Invariant::ResultType, &with_scalars("%10: i64 = if true { yield 1.0 } else { yield 1.0 }"));
    reject(
        Invariant::ResultType,
        &with_scalars("%10: f64 = w0: with (%11) in [3] { [0] <= iv < [3] { yield 1.0 } } : genarray"),
    );
    reject(Invariant::ResultType, "func @f() -> (f64) { return 1 }");
    reject(Invariant::ResultType, "func @f() -> () { %0: i64 = call @g()\nreturn }\nfunc @g() -> (f64) { return 1.0 }");
}

#[test]
fn constant_extents_agree_and_others_are_sizes() {
    reject(Invariant::Extents, &with_scalars("%10: i64[4] = iota 3"));
    reject(Invariant::Extents, &with_scalars("%10: f64[4, 5] = view %2 permute(1, 0)"));
    reject(Invariant::Extents, &with_scalars("%10: f64[3, 7] = view %2 reshape"));
    reject(Invariant::Extents, &with_scalars("%10: f64[7, 5] = concat %2, %2"));
    reject(Invariant::Extents, &with_scalars("%10: f64[%0] = replicate 3, 1.0"));
    reject(Invariant::Extents, "func @f(%0: i64, %1: f64[%0]) -> () { return }");
    reject(Invariant::Extents, "func @f(%0: i64) -> (f64[#0]) { %1: f64[%0] = replicate %0, 1.0\nreturn %1 }");
    accept(&with_scalars("%10: i64[0] = iota -3"));
}

#[test]
fn a_cell_holds_values_of_one_type_and_rank() {
    let kept = "%10: cert = keep 3 f64 0 (1.0)\n";
    accept(&with_scalars(&format!("{kept}%11: cert, %12: f64 = recall<%10> 3 f64 0 ()")));
    reject(Invariant::Effects, &with_scalars(&format!("{kept}%11: cert, %12: f32 = recall<%10> 3 f32 0 ()")));
    reject(Invariant::Effects, &with_scalars(&format!("{kept}%11: cert, %12: f64[2] = recall<%10> 3 f64 1 ()")));
    reject(Invariant::OperandType, &with_scalars("%10: cert = keep 3 f64 0 (1)"));
    reject(Invariant::OperandType, &with_scalars("%10: cert = keep 3 f64 1 (1.0)"));
    reject(Invariant::ResultType, &with_scalars("%10: cert, %11: f64[2, 2] = recall 3 f64 1 ()"));
    reject(Invariant::ResultType, &with_scalars("%10: cert, %11: f64 = recall 3 f64 1 ()"));
    let two = "func @f(%0: cert) -> (cert) {\n%1: cert = keep<%0> 0 f64 0 (1.0)\nreturn %1\n}\n\
               func @g() -> (cert) {\n%0: cert = keep 0 i64 0 (1)\nreturn %0\n}\n";
    reject(Invariant::Effects, two);
}

#[test]
fn certificates_are_certificates() {
    reject(Invariant::Certificates, &with_scalars("%10: f64 = index<%1> %2[%1, %1]"));
    reject(Invariant::Certificates, &with_scalars("%10: cert = conjoin (%1)"));
}

/// A program that fails when it gets there has a meaning as long as it does not.
#[test]
fn a_cell_may_have_another_size_than_the_accumulator() {
    let fold = |accumulator: &str, cell: &str| {
        with_scalars(&format!(
            "%10: i64[0] = table i64[0] {{}}
             %11: i64[0] = w0: with (%12) in [%1] {{ [0] <= iv < [%1] {{ %13: i64[1] = replicate 1, 7\nyield %13 }} }}
               : fold (%10) by (%14: {accumulator}, %15: {cell}) {{
                 %16: bool = eq 0, 1
                 %17: cert = assert %16, shape-mismatch(0, 1)
                 yield %14
               }}"
        ))
    };
    accept(&fold("i64[0]", "i64[1]"));
    reject(Invariant::Extents, &fold("i64[1]", "i64[1]"));
    reject(Invariant::Extents, &fold("i64[0]", "i64[2]"));
    reject(Invariant::OperandType, &fold("i64[0]", "f64[1]"));
}

fn with_loop(space: &str, generators: &str, operator: &str, result: &str) -> String {
    with_scalars(&format!("%10: {result} = w0: with (%11) in [{space}] {{ {generators} }} : {operator}"))
}

#[test]
fn generators_lie_within_their_space() {
    let genarray = |generators: &str| with_loop("8", generators, "genarray", "f64[8]");
    reject(Invariant::GeneratorShape, &genarray("[0] <= iv < [9] { yield 1.0 }"));
    reject(Invariant::GeneratorShape, &genarray("[-1] <= iv < [8] { yield 1.0 }"));
    reject(Invariant::GeneratorShape, &genarray("[0] <= iv < [8] step [0] width [0] { yield 1.0 }"));
    reject(Invariant::GeneratorShape, &genarray("[0] <= iv < [8] step [2] width [3] { yield 1.0 }"));
    accept(&genarray("[0] <= iv < [8] { yield 1.0 } [9] <= iv < [9] { yield 1.0 }"));
}

#[test]
fn generators_are_disjoint() {
    let genarray = |generators: &str| with_loop("8", generators, "genarray", "f64[8]");
    reject(Invariant::Disjoint, &genarray("[0] <= iv < [5] { yield 1.0 } [4] <= iv < [8] { yield 1.0 }"));
    reject(
        Invariant::Disjoint,
        &genarray("[0] <= iv < [8] step [2] width [1] { yield 1.0 } [1] <= iv < [8] step [3] width [1] { yield 1.0 }"),
    );
    accept(&genarray(
        "[0] <= iv < [8] step [4] width [3] { yield 1.0 } [3] <= iv < [8] step [4] width [1] { yield 1.0 }",
    ));
}

#[test]
fn generators_cover_the_space_if_an_operator_needs_it() {
    let half = "[0] <= iv < [4] { yield 1.0 }";
    reject(Invariant::Covering, &with_loop("8", half, "genarray", "f64[8]"));
    reject(Invariant::Covering, &with_loop("8", "", "genarray", "f64[8]"));
    let sum = "(0.0) by (%12: f64, %13: f64) { yield %12 }";
    reject(Invariant::Covering, &with_loop("8", half, &format!("scan {sum}"), "f64[8]"));
    accept(&with_loop("8", half, &format!("fold {sum}"), "f64"));
    accept(&with_loop("0", "", "genarray", "f64[0]"));
}

#[test]
fn only_folds_and_filters_are_guarded() {
    reject(Invariant::Guards, &with_loop("8", "[0] <= iv < [8] { yield true, 1.0 }", "guarded genarray", "f64[8]"));
    reject(Invariant::Guards, &with_loop("8", "[0] <= iv < [8] { yield }", "filter 0", "i64"));
    accept(&with_loop("8", "[0] <= iv < [8] { yield true }", "guarded filter 0", "i64"));
}

#[test]
fn what_was_consumed_is_not_used() {
    let update = "%10: f64[%0] = update consumes %1[%3] = 1.0";
    reject(Invariant::Consumption, &with_arrays(&format!("{update}\n%11: f64 = index %1[0]\nreturn %11"), "f64"));
    // Through a view made before.
    reject(
        Invariant::Consumption,
        &with_arrays(&format!("%9: f64[%0] = view %1 slice(0)\n{update}\n%11: f64 = index %9[0]\nreturn %11"), "f64"),
    );
    // The result has taken the memory over, also where it is viewed.
    accept(&with_arrays(
        &format!("{update}\n%11: f64[%0] = view %10 slice(0)\n%12: f64 = index %11[0]\nreturn %12"),
        "f64",
    ));
    // The stored part may not be the array itself.
    reject(
        Invariant::Consumption,
        "func @f(%0: *f64[3, 3]) -> (f64[3, 3]) {
           %1: f64[3] = index %0[0]
           %2: f64[3, 3] = update consumes %0[1] = %1
           return %2
         }",
    );
}

#[test]
fn paths_are_told_apart() {
    let either = |then: &str, otherwise: &str, after: &str| {
        with_arrays(
            &format!("%10: bool = lt %3, 0\n%11: f64[%0] = if %10 {{ {then} }} else {{ {otherwise} }}\n{after}"),
            "f64[%0], f64",
        )
    };
    let (a, b) = (
        "%12: f64[%0] = update consumes %1[0] = 1.0\nyield %12",
        "%13: f64[%0] = update consumes %1[1] = 1.0\nyield %13",
    );
    accept(&either(a, b, "return %11, 0.0"));
    accept(&either(a, "yield %1", "%14: f64[%0] = update consumes %11[0] = 1.0\nreturn %14, 0.0"));
    reject(Invariant::Consumption, &either(a, "yield %2", "%14: f64 = index %1[0]\nreturn %11, %14"));
    reject(
        Invariant::Ownership,
        &either(a, "yield %2", "%14: f64[%0] = update consumes %11[0] = 1.0\nreturn %14, 0.0"),
    );
}

#[test]
fn only_what_the_block_owns_is_consumed() {
    reject(Invariant::Ownership, &with_arrays("%10: f64[%0] = update consumes %2[0] = 1.0\nreturn %10", "f64[%0]"));
    // A body that runs again would consume the same array again.
    reject(
        Invariant::Ownership,
        &with_arrays(
            "%10: f64 = for %11 < %3 (%12: f64 = 0.0) { %13: f64[%0] = update consumes %1[%11] = 1.0\nyield 1.0 }\nreturn %10",
            "f64",
        ),
    );
    reject(
        Invariant::Ownership,
        &with_arrays(
            "%10: f64 = while (%12: *f64[%0] = %1) { %13: f64[%0] = update consumes %12[0] = 1.0\nyield true } do { yield %12 }\nreturn 1.0",
            "f64",
        )
        .replace("%10: f64 =", "%10: f64[%0] ="),
    );
    // Memory made in another loop's body is not made in this one's.
    reject(
        Invariant::Ownership,
        &with_arrays(
            "%10: f64[%0] = for %11 < %3 (%12: f64[%0] = %2) { %13: f64[%0] = copy %12\nyield %13 }
             %20: f64 = for %21 < %3 (%22: f64 = 0.0) { %23: f64[%0] = update consumes %10[%21] = 1.0\nyield 1.0 }
             return %20",
            "f64",
        ),
    );
}

#[test]
fn a_loop_consumes_and_gives_back() {
    let update = |init: &str, star: &str, next: &str, after: &str| {
        with_arrays(
            &format!(
                "%10: f64[%0] = for %11 < %3 (%12: {star}f64[%0] = {init}) {{
                   %13: f64[%0] = update consumes %12[%11] = 1.0
                   yield {next}
                 }}
                 {after}"
            ),
            "f64[%0], f64",
        )
    };
    accept(&update("%1", "*", "%13", "%20: f64[%0] = update consumes %10[0] = 2.0\nreturn %20, 0.0"));
    reject(Invariant::Ownership, &update("%1", "", "%13", "return %10, 0.0"));
    reject(Invariant::Ownership, &update("%2", "*", "%13", "return %10, 0.0"));
    reject(Invariant::Ownership, &update("%1", "*", "%2", "return %10, 0.0"));
    reject(Invariant::Consumption, &update("%1", "*", "%12", "return %10, 0.0"));
    reject(Invariant::Consumption, &update("%1", "*", "%13", "%20: f64 = index %1[0]\nreturn %10, %20"));
}

#[test]
fn a_combining_function_may_consume_what_it_is_given() {
    let histogram = |neutral: &str, after: &str| {
        with_arrays(
            &format!(
                "%10: f64[%0] = w0: with (%11) in [%3] {{
                   [0] <= iv < [%3] {{ %12: f64[%0] = replicate %0, 1.0\nyield %12 }}
                 }} : fold ({neutral}) by (%13: f64[%0], %14: f64[%0]) {{
                   %15: f64 = index %14[0]
                   %16: f64[%0] = update consumes %13[0] = %15
                   yield %16
                 }}
                 {after}"
            ),
            "f64[%0], f64",
        )
    };
    accept(&histogram("%1", "%20: f64[%0] = update consumes %10[0] = 2.0\nreturn %20, 0.0"));
    reject(Invariant::Ownership, &histogram("%2", "return %10, 0.0"));
    reject(Invariant::Consumption, &histogram("%1", "%20: f64 = index %1[0]\nreturn %10, %20"));
}

#[test]
fn calls_consume_what_they_are_given() {
    let call = |statements: &str| {
        format!(
            "func @g[%0](%1: *f64[%0], %2: f64[%0]) -> (*f64[%0]) {{ return %1 }}\n{}",
            with_arrays(statements, "f64[%0], f64")
        )
    };
    accept(&call("%10: f64[%0] = call @g(%1, %2)\nreturn %10, 0.0"));
    reject(Invariant::Consumption, &call("%10: f64[%0] = call @g(%1, %1)\nreturn %10, 0.0"));
    reject(Invariant::Consumption, &call("%10: f64[%0] = call @g(%1, %2)\n%11: f64 = index %1[0]\nreturn %10, %11"));
    reject(Invariant::Ownership, &call("%10: f64[%0] = call @g(%2, %2)\nreturn %10, 0.0"));
}

#[test]
fn unique_results_share_no_memory() {
    reject(Invariant::Uniqueness, &with_arrays("return %2", "*f64[%0]"));
    reject(Invariant::Uniqueness, &with_arrays("return %1, %1", "*f64[%0], f64[%0]"));
    accept(&with_arrays("return %1, %2", "*f64[%0], f64[%0]"));
    accept(&with_arrays("%10: f64[%0] = copy %2\nreturn %10", "*f64[%0]"));
}

#[test]
fn aliases_follow_loops() {
    let program = parse(
        &with_arrays(
            "%10: f64[%0], %11: f64[%0] = for %12 < %3 (%13: f64[%0] = %1, %14: f64[%0] = %13) {
           %15: f64[%0] = copy %13
           yield %15, %2
         }
         %16: f64[%0] = view %10 slice(0)
         %17: f64[%0] = copy %16
         return %16",
            "f64[%0]",
        )
        .replace("= %13)", "= %1)"),
    );
    let (_, func) = program.funcs.iter().next().expect("there is one");
    let aliases = Aliases::of(func, Some(&program));
    let value = <Value as frit_support::Index>::new;
    assert!(aliases.may_share(value(10), value(1)), "no iteration at all");
    assert!(aliases.may_share(value(10), value(15)));
    assert!(!aliases.may_share(value(10), value(2)));
    assert!(aliases.may_share(value(11), value(2)));
    assert!(aliases.may_share(value(14), value(2)), "the second iteration");
    assert!(aliases.may_share(value(16), value(10)));
    assert!(aliases.is_fresh(value(17)) && !aliases.may_share(value(17), value(16)));
}
