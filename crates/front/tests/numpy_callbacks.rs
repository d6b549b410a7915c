//! Calls of NumPy functions that are not compiled: who makes them, and what the function is then.

use frit_front::numpy::{Argument, Callers, Compiled, Given, Observed, compile};
use frit_ir::array::verify::verify;
use frit_support::{Diagnostic, SourceMap};

fn compiled(types: &str, text: &str, callers: &Callers) -> Result<Compiled, Vec<Diagnostic>> {
    let signature = Argument::list(types).expect("they are types");
    let text = format!("import numpy as np\nfrom __outside__ import other\n{text}");
    let mut sources = SourceMap::new();
    let file = sources.add("p.py", text.as_str());
    let made = compile(file, &text, "f", &signature, callers)?;
    verify(&made.program).expect("the program is well formed");
    Ok(made)
}

fn by_python(types: &str, text: &str) -> Compiled {
    compiled(types, text, &Callers::Python(Vec::new())).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

#[test]
fn the_command_prints_and_refuses_other_calls() {
    let printed = "def f(a):\n    for i in range(3):\n        print(f'{i}: {a[i]:.3f}', a, sep='')\n    return a";
    let made = compiled("float64[:]", printed, &Callers::Print).expect("it prints");
    assert_eq!(
        made.calls[0].text,
        "print(''.join((format((_0), ''), ': ', format((_1), ''.join(('.3f', ))), )), _2, sep='', )"
    );
    for text in [
        "def f(a):\n    return np.sort(a)",
        "def f(a):\n    a.sort()",
        "def f(a):\n    return np.linalg.solve(a, a)",
        "def f(a):\n    print(a + 1j)",
        "def f(a):\n    print((a, 1))",
        "def f(a):\n    print(other)",
    ] {
        let errors = compiled("float64[:]", text, &Callers::Print).expect_err(text);
        assert_eq!(errors[0].code, "not-compiled", "{text}");
        assert!(compiled("float64[:]", text, &Callers::Nobody).is_err(), "{text}");
    }
}

#[test]
fn results_of_known_functions_follow_from_the_arguments() {
    let given = |types: &str, call: &str| {
        let made = by_python(types, &format!("def f(a, b):\n    x = {call}\n    return a"));
        let mut leaves = Vec::new();
        made.calls[0].given.leaves(&mut leaves);
        leaves.iter().map(Argument::describe).collect::<Vec<_>>().join(" ")
    };
    let matrices = "float32[:, :], int";
    assert_eq!(given(matrices, "np.sort(a, axis=0)"), "float32[:, :]");
    assert_eq!(given(matrices, "np.sort(a, axis=None)"), "float32[:]");
    assert_eq!(given(matrices, "a.argsort()"), "int64[:, :]");
    assert_eq!(given(matrices, "np.linalg.svd(a)"), "float32[:, :] float32[:] float32[:, :]");
    assert_eq!(given(matrices, "np.fft.rfft(a)"), "complex64[:, :]");
    assert_eq!(given("int32[:, :], float64[:]", "np.linalg.solve(a, b)"), "float64[:]");
    assert_eq!(given("float64[:], int", "np.random.normal(0.0, 1.0, size=(b, 2))"), "float64[:, :]");
}

#[test]
fn what_is_written_and_what_gives_objects() {
    let made = by_python("float64[:, :]", "def f(a):\n    a[0].sort()\n    np.random.shuffle(a)");
    assert_eq!(made.changed.len(), 1);
    assert!(made.calls.iter().all(|call| call.written == [0]));
    let unknown = compiled("float64[:]", "def f(a):\n    return other.g(a) + 1", &Callers::Python(Vec::new()));
    assert_eq!(unknown.expect_err("nobody knows")[0].code, "unknown-result");
    let text = "def f(a):\n    for i in range(3):\n        x = other()\n    return a";
    let place = |part: &str| {
        let start =
            format!("import numpy as np\nfrom __outside__ import other\n{text}").find(part).expect("it is there");
        (start, start + part.len())
    };
    let observed = |result| {
        Callers::Python(vec![Observed { place: place("other()"), result, written: Vec::new(), shares: false }])
    };
    assert!(compiled("float64[:]", text, &observed(Given::None)).is_ok());
    for refused in [Given::Object, Given::Several("an int and a float".into())] {
        assert_eq!(compiled("float64[:]", text, &observed(refused)).expect_err("refused")[0].code, "not-compiled");
    }
}

#[test]
fn calls_have_no_place_in_tests_of_loops_and_decide_no_comparison() {
    for text in [
        "def f(a):\n    while np.sort(a)[0] > 0:\n        a -= 1\n    return a",
        "def f(a):\n    if other == 'x':\n        a += 1\n    return a",
    ] {
        let errors = compiled("float64[:]", text, &Callers::Python(Vec::new())).expect_err(text);
        assert_eq!(errors[0].code, "not-compiled", "{text}");
    }
}
