//! What functions of NumPy print without Python, on both engines. The text is Python's.

use frit_driver::numpy::{Argument, Callers, compile};
use frit_driver::{Const, Engine, Options, Tensor, TensorData, build, run};
use std::path::Path;

const PROGRAM: &str = r#"import numpy as np
def f(a, n):
    print("sizes", a.shape[0], n, sep="=")
    for i in range(n):
        a = a * 0.5
        if i % 2 == 0:
            print(f"{i:>3}: {a.sum():.4f} {a[0]:e}", a)
    print(a > 1, a.astype(np.int64), np.float32(0.1), (1, "x", None), end="!\n")
    print(np.ones((2, 3)) * a[:1], a.mean(), -a[1] * 1e20)
    return a
"#;

const OUTPUT: &str = "\
sizes=3=3
  0: 3.8750 5.000000e-01 [ 0.5    5.    -1.625]
  2: 0.9688 1.250000e-01 [ 0.125    1.25    -0.40625]
[False  True False] [0 1 0] 0.1 (1, 'x', None)!
[[0.125 0.125 0.125]
 [0.125 0.125 0.125]] 0.3229166666666667 -1.25e+20
";

#[test]
fn prints_have_the_text_and_order_of_python() {
    let types = Argument::list("float64[:], int").unwrap();
    let unit = compile("p.py", PROGRAM, "f", &types, &Callers::Print).unwrap().unit;
    for engine in [Engine::Native, Engine::Interpreter] {
        let arguments =
            vec![Tensor::new(vec![3], TensorData::F64(vec![1.0, 10.0, -3.25])).unwrap(), Tensor::scalar(Const::i64(3))];
        let options = Options { engine, ..Options::default() };
        assert_eq!(run(&unit, arguments, &options).unwrap().output, OUTPUT, "{engine:?}");
    }
    let error = build(&unit, Path::new("never.so"), &Options::default()).unwrap_err();
    assert!(error.has_code("not-compiled"), "{error}");
}
