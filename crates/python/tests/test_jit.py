"""Functions of Python that are compiled: what they compute, and what they are compiled for."""

import copy
import importlib
import importlib.util
import inspect
import pathlib
import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import frit

ROOT = pathlib.Path(__file__).parents[3]
SCALE = 3


@frit.jit(strict=True)
def scaled(x, k=2.0):
    """Scales an array."""
    return x * k


@frit.jit(strict=True)
def by_constant(x):
    return triple(x) + SCALE


def triple(x):
    return x * 3


@frit.jit(strict=True)
def add_to(a, b):
    a += b


@frit.jit(strict=True)
def element(a, i):
    first = a[0]
    return first + a[i]


@frit.jit(strict=True)
def several(z, n):
    return z * 1j, n + 1, z.shape[0], z


@frit.jit
def uncompiled(x):
    return sorted(x, key=lambda y: -y)


@frit.jit(strict=True)
def refused(x):
    return sorted(x, key=lambda y: -y)


def program(file, name):
    """A function of the programs that the front end is tested with."""
    path = ROOT / "tests/run/numpy" / file
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def agree(one, other):
    if other is None:
        return one is None
    if isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(agree, one, other))
    one, other = np.asarray(one), np.asarray(other)
    return one.dtype == other.dtype and one.shape == other.shape and np.allclose(one, other, equal_nan=True)


RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize(
    ("file", "name", "arguments"),
    [
        ("programs.py", "softmax", (RANDOM.random((9, 3)),)),
        ("programs.py", "cholesky", (np.eye(4) + 3.0,)),
        ("programs.py", "gramschmidt", (RANDOM.random((5, 3)),)),
    ],
)
def test_a_compiled_function_does_what_numpy_does(file, name, arguments):
    function = program(file, name)
    mine, its = copy.deepcopy(arguments), copy.deepcopy(arguments)
    assert agree(frit.jit(strict=True)(function)(*mine), function(*its))
    assert agree(mine, its)


def test_defaults_and_names_of_arguments():
    x = np.arange(4.0)
    np.testing.assert_array_equal(scaled(x), 2 * x)
    np.testing.assert_array_equal(scaled(x, k=5.0), 5 * x)
    np.testing.assert_array_equal(scaled(k=5.0, x=x), 5 * x)
    for arguments, names in [((), {}), ((x, 1.0, 2.0), {}), ((x,), {"x": x}), ((x,), {"q": 1})]:
        with pytest.raises(TypeError):
            scaled(*arguments, **names)


def test_it_looks_like_the_function():
    assert scaled.__name__ == "scaled" and scaled.__doc__ == "Scales an array." and scaled.__module__ == __name__
    assert str(inspect.signature(scaled)) == "(x, k=2.0)"
    assert pickle.loads(pickle.dumps(scaled)) is scaled


def test_types_decide_and_sizes_do_not():
    for n in (2, 3, 50):
        for dtype in (np.float32, np.float64, np.int16):
            x = np.arange(n).astype(dtype)
            assert agree(scaled(x, 2), x * 2) and agree(scaled(x, 2.5), x * 2.5)
    wide, row = np.ones((3, 4)), np.arange(4.0)[None]
    assert agree(scaled(wide, row), wide * row) and agree(scaled(row, wide), row * wide)
    assert agree(scaled(np.float32(3), 2), np.float32(3) * 2)


def test_a_constant_that_changes_compiles_anew(monkeypatch):
    x = np.arange(4)
    assert agree(by_constant(x), 3 * x + 3)
    monkeypatch.setitem(globals(), "SCALE", 10)
    assert agree(by_constant(x), 3 * x + 10)
    monkeypatch.setitem(globals(), "triple", scaled.__wrapped__)
    with pytest.raises((TypeError, ValueError)):
        frit.jit(strict=True)(by_constant)(np.zeros((2, 2)), 1)


def test_variables_of_functions_around_it_are_constants():
    def adder(n):
        @frit.jit(strict=True)
        def add(x):
            return x + n

        return add

    x = np.arange(3)
    assert agree(adder(1)(x), x + 1) and agree(adder(2.5)(x), x + 2.5)


@pytest.mark.parametrize(
    "view",
    [lambda a: a, lambda a: a[::2], lambda a: a[::-1], lambda a: a.reshape(2, 6)[:, 1], lambda a: a.astype(">f8")],
)
def test_arguments_that_are_changed_are_changed_for_the_caller(view):
    a = view(np.arange(12.0))
    expected = a + 1.0
    assert add_to(a, 1.0) is None
    assert agree(a.astype(float), expected.astype(float))


def test_arrays_that_may_not_be_written_are_refused_as_by_numpy():
    a = np.arange(3.0)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        add_to(a, 1.0)


def test_results_are_those_of_numpy_with_memory_of_their_own():
    z = np.array([1 + 2j, 3j])
    product, number, extent, same = several(z, 41)
    assert agree(product, z * 1j) and (number, extent) == (42, 2) and type(number) is int and same is z
    product[0] = 0
    assert z[0] == 1 + 2j
    assert type(element(np.arange(3, dtype=np.float32), 1)) is np.float32


@frit.jit(strict=True)
def extrema(a):
    return a.max(), a.min(), a.max(axis=-1), np.min(a, axis=0), np.max(a, initial=0.5), np.min(a, axis=1, where=a < 0.9, initial=2.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (70, 90), (300, 1001)])
def test_extrema_hand_on_what_is_no_number(dtype, shape):
    rng = np.random.default_rng(1)
    for place in [None, 0, shape[0] * shape[1] // 2, -1]:
        a = (rng.random(shape) - 0.5).astype(dtype)
        if place is not None:
            a.flat[place] = np.nan
        for given in [a, np.where(np.isnan(a), a, -np.inf).astype(dtype), np.where(np.isnan(a), a, np.inf).astype(dtype)]:
            for got, expected in zip(extrema(given), extrema.__wrapped__(given)):
                assert got.dtype == expected.dtype and np.array_equal(got, expected, equal_nan=True)


def test_failures_show_the_line_of_the_function():
    line = inspect.getsourcelines(element.__wrapped__)[1] + 3
    with pytest.raises(IndexError, match=rf"test_jit\.py:{line}:"):
        element(np.arange(3.0), 3)
    for x, k in [(np.zeros(3), np.zeros(4)), (np.zeros((2, 3)), np.zeros((5, 2, 4))), (np.zeros((3, 2)).T, np.zeros((3, 2)))]:
        with pytest.raises(ValueError) as its:
            x * k
        with pytest.raises(ValueError) as mine:
            scaled(x, k)
        assert str(mine.value).startswith(str(its.value).strip())


def test_failures_in_functions_of_other_files_show_their_line(tmp_path, monkeypatch):
    (tmp_path / "other_file.py").write_text("import numpy as np\n\n\ndef pick(a, i):\n    return a[i]\n")
    monkeypatch.syspath_prepend(tmp_path)
    pick = importlib.import_module("other_file").pick

    @frit.jit(strict=True)
    def twice(a, i):
        return pick(a, i) * 2

    with pytest.raises(IndexError, match=r"other_file\.py:5:"):
        twice(np.arange(3.0), 3)


def test_what_is_not_compiled_is_an_error_or_runs_undecorated_after_one_warning():
    with pytest.raises(frit.CompileError, match=r"test_jit\.py:\d+:"):
        refused(np.arange(3))
    with pytest.warns(RuntimeWarning, match="`uncompiled` runs undecorated") as said:
        assert uncompiled(np.arange(3)) == [2, 1, 0] and uncompiled([5, 6]) == [6, 5]
    assert len(said) == 1
    for wrong in (len, "f", type("C", (), {})):
        with pytest.raises(TypeError):
            frit.jit(wrong)


def announced(x):
    print("sum", float(x.sum()))
    return x + 1


def test_what_a_function_prints_appears(capsys):
    assert agree(frit.jit(announced)(np.arange(3.0)), np.array([1.0, 2.0, 3.0]))
    assert capsys.readouterr().out == "sum 3.0\n"


def test_a_function_shows_what_became_of_it():
    x = np.arange(3.0)
    scaled.warm(x, 2.0)
    assert "pass over memory" in str(scaled.explain(x, 2.0)) and "Totals" in scaled.explain(x, 2.0).details and "func @" in scaled.dump("front") and "frit_context" in scaled.source()
    times = frit.bench(scaled, x, seconds=0.01)
    assert times.compiled > 0 and times.undecorated > 0 and "undecorated" in str(times)


def test_threads_compile_and_call_at_the_same_time():
    compiled = frit.jit(strict=True)(triple)
    results = [None] * 8

    def work(at):
        x = np.arange(1000.0) + at
        results[at] = all(agree(compiled(x), 3 * x) for _ in range(50))

    threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results)


@frit.jit(strict=True)
def chosen(x, n=None, mode="sum", dtype=np.float32, axes=(0, 1), *, scale=2.0):
    n = len(x) if n is None else n
    total = x[:n].sum(axis=axes) if mode == "sum" else x[:n].max(axis=axes)
    return total * scale, np.zeros(n, dtype)


def test_arguments_that_are_neither_numbers_nor_arrays_are_constants():
    x = RANDOM.random((3, 4))
    for arguments, names in [((x,), {}), ((x, 2, "max"), {"scale": 3.0}), ((x, None, "sum", float, 0), {}), ((x,), {"axes": (1,)})]:
        assert agree(chosen(*arguments, **names), chosen.__wrapped__(*arguments, **names))
    layers = [(RANDOM.random((4, 3)), RANDOM.random(3)), (RANDOM.random((3, 2)), RANDOM.random(2))]
    network = frit.jit(strict=True)(forward)
    for _ in range(2):
        assert agree(network(x, layers, np.tanh), forward(x, layers, np.tanh))


def forward(x, layers, activation):
    for weights, bias in layers:
        x = activation(x @ weights + bias)
    return x


def along(x, axis):
    return x.sum(axis) / x.shape[axis]


def test_an_integer_that_must_be_known_is_a_constant():
    x, compiled = RANDOM.random((3, 4)), frit.jit(strict=True)(along)
    for axis in (0, 1, -1, 0):
        assert agree(compiled(x, axis), along(x, axis))


WEIGHTS = {"kernel": [1.0, 2.0, 1.0], "scale": 4}
KERNEL = np.array([[0.0, 1.0], [np.inf, -1.0]])


def weighted(x):
    total = 0.0
    for weight, value in zip(WEIGHTS["kernel"], x):
        total += weight * value
    return total / WEIGHTS["scale"], KERNEL * x[:2]


def test_constants_of_the_module_may_be_lists_dictionaries_and_arrays_and_change(monkeypatch):
    x, compiled = np.arange(3.0), frit.jit(strict=True)(weighted)
    assert agree(compiled(x), weighted(x))
    monkeypatch.setitem(WEIGHTS, "scale", 5)
    assert agree(compiled(x), weighted(x))
    KERNEL[0, 0] = 7.0
    assert agree(compiled(x), weighted(x))


def root(x, n):
    if n < 0:
        raise ValueError(f"{n} is negative")
    if n > 3:
        raise KeyError(n)
    return np.sqrt(x) + n


def test_raise_raises_the_exception_that_it_names():
    x, compiled = np.arange(3.0), frit.jit(strict=True)(root)
    assert agree(compiled(x, 2), root(x, 2))
    line = inspect.getsourcelines(root)[1] + 2
    with pytest.raises(ValueError, match=rf"test_jit\.py:{line}:"):
        compiled(x, -1)
    with pytest.raises(KeyError):
        compiled(x, 4)
