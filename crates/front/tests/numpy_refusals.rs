//! What the NumPy front end refuses, since NumPy's result would be another.

use frit_front::numpy::{Argument, Callers, compile};
use frit_support::SourceMap;

/// Checks that the first function of each program is refused with this code.
fn refused(code: &str, types: &str, programs: &[&str]) {
    let signature = Argument::list(types).expect("they are types");
    for text in programs {
        let mut sources = SourceMap::new();
        let file = sources.add("p.py", *text);
        let text = format!("import numpy as np\n{text}");
        let refused = compile(file, &text, "f", &signature, &Callers::Print).expect_err(&text);
        assert_eq!(refused[0].code, code, "{text}");
    }
}

#[test]
fn copies_of_what_numpy_sees_through_are_not_used_after_a_write() {
    refused(
        "shared-memory",
        "float64[:, :]",
        &[
            "def f(a):\n    b = np.broadcast_to(a, (2, 3, 4))\n    a[0] = 1\n    return b",
            "def f(a):\n    b = np.diag(a)\n    a[0] = 1\n    return b",
            "def f(a):\n    b = np.diagonal(a, offset=1)\n    a[0] = 1\n    return b",
            "def f(a):\n    b = np.asfortranarray(a)\n    a[0] = 1\n    return b",
        ],
    );
}

#[test]
fn results_keep_the_order_of_operands_so_that_what_is_flattened_may_be_a_copy() {
    refused(
        "shared-memory",
        "float64[:, :]",
        &[
            "def f(a):\n    x = a.T + 1\n    y = x.ravel()\n    y[0] = 5\n    return x",
            "def f(a):\n    x = np.sqrt(a.T)\n    y = x.T.reshape(-1)\n    y[0] = 5\n    return x",
            "def f(a):\n    x = a.T * 2\n    for k in range(3):\n        x = x + 1\n    y = x.ravel()\n    y[0] = 5\n    return x",
            "def f(a):\n    x = a\n    if a[0, 0] > 0:\n        x = a.T * 2\n    y = x.ravel()\n    y[0] = 5\n    return x",
        ],
    );
}

#[test]
fn views_of_one_array_that_a_loop_exchanges_share_memory() {
    refused(
        "shared-memory",
        "float64[:, :]",
        &[
            "def f(a):\n    x = a[::2]\n    for k in range(3):\n        x, a = a, x\n    x[0] = 1\n    return a",
            "def f(a):\n    x = a[1:]\n    y = a[:-1]\n    for k in range(3):\n        x, y = y, x\n        x[0] = 1\n    return y",
        ],
    );
}

#[test]
fn read_only_arrays_are_not_written() {
    let written = ["def f(a):\n    b = np.diag(a)\n    b[0] = 1\n    return b"];
    refused("wrong-type", "float64[:, :]", &written);
}

#[test]
fn comprehensions_whose_length_depends_on_values() {
    refused(
        "not-compiled",
        "float64[:]",
        &[
            "def f(a):\n    return [x for x in a]",
            "def f(a):\n    return sum(i for i in range(3) if a[i] > 0)",
            "def f(a):\n    return sum(i for i in range(60) for j in range(60))",
        ],
    );
}

#[test]
fn functions_that_change_the_number_of_elements_by_values() {
    refused(
        "not-compiled",
        "float64[:]",
        &["def f(a):\n    return np.insert(a, [0, 1], 5)", "def f(a):\n    np.fill_diagonal(a, 5)"],
    );
}
