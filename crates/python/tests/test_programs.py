"""Programs in L0 and SAC as functions."""

import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import frit

SMOOTH = """
double[.] smooth(double[.] x) { return { [i] -> (x[i] + x[i + 1]) / 2d | [i] < shape(x) - 1 }; }
int total(int[.] x) { return with { ([0] <= iv < shape(x)): x[iv]; } : fold(+, 0); }
double norm(double[.] x) { return 1d; }
double norm(double[.,.] x) { return 2d; }
double norm(double[3] x) { return 3d; }
int, double[.] both(int n, double[.] x) { return (n + 1, x); }
"""

SCALE = "fun [real] main(real k, [real] x) = map(op * (k), x)"


@pytest.fixture(scope="module")
def program():
    return frit.sac(SMOOTH)


@pytest.fixture(scope="module")
def scale():
    return frit.l0(SCALE).main


def test_a_function_takes_and_gives_arrays(program, scale):
    x = np.array([1.0, 2.0, 4.0])
    np.testing.assert_array_equal(program.smooth(x), [1.5, 3.0])
    np.testing.assert_array_equal(scale(2.0, x), 2 * x)
    np.testing.assert_array_equal(scale(2, [1.0, 2.5]), [2.0, 5.0])


def test_functions_are_attributes_and_items(program):
    assert set(program) == {"smooth", "total", "norm", "both"} == set(dir(program))
    assert program["total"].__name__ == "total"
    with pytest.raises(AttributeError, match="no function `mean`; its functions: both, norm"):
        program.mean


def test_results_own_their_memory_and_can_be_written(scale):
    results = [scale(float(k), np.arange(100.0)) for k in range(4)]
    for k, result in enumerate(results):
        result[0] = -1.0
        np.testing.assert_array_equal(result[1:], k * np.arange(1.0, 100.0))
    assert results[0].flags.writeable and results[0].flags.aligned and results[0].flags.c_contiguous


def test_arguments_are_not_changed_and_not_shared(program):
    x = np.arange(3.0)
    n, y = program.both(41, x)
    assert n == 42 and isinstance(n, int)
    y[0] = 7.0
    np.testing.assert_array_equal(x, np.arange(3.0))


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[::2],
        lambda x: x[::-1],
        lambda x: x.reshape(4, 2)[:, 1],
        lambda x: x.astype(">f8"),
        lambda x: x.astype(np.float32),
        lambda x: x.astype(np.int16),
        lambda x: np.frombuffer(b"0" + x.tobytes(), np.uint8)[1:].view(np.float64),
        lambda x: x[:0],
        memoryview,
        lambda x: x.tolist(),
    ],
)
def test_arrays_of_any_strides_and_narrower_types_are_taken(scale, view):
    x = view(np.arange(8.0))
    np.testing.assert_array_equal(scale(3.0, x), 3.0 * np.asarray(x, np.float64))


def test_what_offers_dlpack_is_taken(scale):
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    np.testing.assert_array_equal(scale(3.0, Foreign(np.arange(5.0))), 3.0 * np.arange(5.0))


def test_integers_are_converted_where_they_fit(program):
    assert program.total(np.arange(5)) == 10
    assert program.total(np.arange(5, dtype=np.uint8)) == 10
    with pytest.raises(TypeError, match="4294967296"):
        program.total(np.array([1 << 32]))


def test_overloads_are_told_apart_by_rank_and_extents(program):
    assert program.norm(np.zeros(2)) == 1.0
    assert program.norm(np.zeros((2, 2))) == 2.0
    assert program.norm(np.zeros(3)) == 3.0
    assert program.norm(np.zeros(4)) == 1.0


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ((2.0,), TypeError, "takes 2 arguments"),
        ((2.0, np.zeros((2, 2))), ValueError, "`x` has 2 dimensions, but 1 are needed"),
        ((2.0, np.zeros(2, complex)), TypeError, "`x` is complex"),
        ((2.0, np.array(["a"])), TypeError, "<U1"),
        ((2.0, object()), TypeError, "object"),
        ((2.0, np.ma.array([1.0])), TypeError, "MaskedArray"),
        ((1 << 70, np.zeros(2)), OverflowError, "64 bits"),
    ],
)
def test_wrong_arguments_are_refused(scale, arguments, kind, text):
    with pytest.raises(kind, match=text):
        scale(*arguments)


def test_mistakes_in_a_program_are_compile_errors_with_their_place():
    with pytest.raises(frit.CompileError, match="[^e]*one.sac:2:") as caught:
        frit.sac("int f() {\n  return y;\n}", "one.sac")
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("text", "arguments", "kind"),
    [
        ("fun int main([int] a, int i) = a[i]", ([1, 2], 2), IndexError),
        ("fun int main(int a, int b) = a / b", (1, 0), ZeroDivisionError),
        ("fun [int] main(int n) = iota(n)", (-1,), ValueError),
    ],
)
def test_failures_have_the_kinds_of_numpy_and_their_place(text, arguments, kind):
    with pytest.raises(kind, match=r"<l0>:1:\d+"):
        frit.l0(text).main(*arguments)


def test_strings_are_arrays_of_characters():
    assert frit.l0("fun [char] main([char] a) = concat(a, a)").main("äb") == "äbäb"


def test_tuples_are_values_of_several_arrays():
    program = frit.l0("fun {int, [real]} main({int, [real]} a) = let {n, x} = a in {n + 1, x}")
    n, x = program.main((1, np.arange(3.0)))
    assert n == 2
    np.testing.assert_array_equal(x, np.arange(3.0))


def test_what_a_program_prints_goes_to_python(capsys):
    frit.sac('use StdIO: all; int f(int n) { printf("n is %d\\n", n); return n; }').f(3)
    assert capsys.readouterr().out == "n is 3\n"


def test_files_are_loaded_by_their_extension(tmp_path):
    path = tmp_path / "scale.l0"
    path.write_text(SCALE)
    np.testing.assert_array_equal(frit.load(path).main(2.0, [1.0]), [2.0])
    with pytest.raises(ValueError, match="extension"):
        frit.load("scale.txt")
    with pytest.raises(OSError):
        frit.load(tmp_path / "other.sac")


def test_threads_call_one_function_at_the_same_time(scale):
    x = np.arange(100_000.0)
    wrong = []

    def work(k):
        for _ in range(20):
            if not np.array_equal(scale(k, x), k * x):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(float(k),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


FORKED = """
import os, numpy as np, frit
f = frit.l0("fun real main([real] x) = reduce(op +, 0.0, map(fn real (real x) => sqrt(x) * exp(x), x))").main
x = np.linspace(0.0, 1.0, 1 << 20)
first = f(x)
child = os.fork()
if child == 0:
    os._exit(0 if abs(f(x) - first) <= 1e-9 * first else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert f(x) == f(x)
"""


def test_calls_after_a_fork_are_right():
    subprocess.run([sys.executable, "-c", textwrap.dedent(FORKED)], check=True, timeout=100)


def test_a_function_shows_what_became_of_it(scale):
    scale(2.0, np.zeros(3))
    explanation = scale.explain()
    assert "1 pass over memory" in str(explanation) and "<iframe" in explanation._repr_html_()
    assert "func @main" in scale.dump("fuse") and "frit_context" in scale.source()
    with pytest.raises(TypeError, match="there is no step `later`"):
        scale.dump("later")


def test_settings_hold_from_the_next_call_on(scale):
    x = np.arange(1000.0)
    try:
        frit.config.threads, frit.config.strict_fp = 1, True
        np.testing.assert_array_equal(scale(2.0, x), 2 * x)
        assert "threads=1, strict_fp=True" in repr(frit.config)
        with pytest.raises(ValueError):
            frit.config.threads = 0
    finally:
        frit.config.threads, frit.config.strict_fp = None, False


NO_COMPILER = """
import warnings, numpy as np, frit
f = frit.l0("fun int main([int] x) = reduce(op +, 0, x)").main
g = frit.l0("fun int main([int] x) = reduce(op *, 1, x)").main
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    assert f(np.arange(5)) == 10 and g(np.arange(1, 5)) == 24
assert len(said) == 1 and "C compiler" in str(said[0].message), said
"""


def test_without_a_c_compiler_the_interpreter_runs_and_says_so_once(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    subprocess.run([sys.executable, "-c", NO_COMPILER], check=True, timeout=100)
