"""Where arguments are in memory: orders of axes, strides, and memory that several of them share."""

import itertools
import subprocess
import sys
import warnings

import numpy as np
import pytest

import frit


@frit.jit(strict=True)
def blend(a, b):
    return 2 * a - b[::-1]


@frit.jit(strict=True)
def add_to(a, b):
    a += b


@frit.jit(strict=True)
def smooth(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


@frit.jit(strict=True)
def exchange(a, b, c):
    t = a.copy()
    a[:] = b
    b[1:] = t[:-1] + c[1:]
    c[0] = a[-1]
    return a + c


def compare(function, make, views):
    """Calls a function and the undecorated one on the same views of two equal arrays; all that is reachable must agree."""
    mine, its = make(), make()
    result, expected = function(*views(mine)), function.__wrapped__(*views(its))
    np.testing.assert_array_equal(mine, its)
    if expected is None:
        assert result is None
    else:
        np.testing.assert_array_equal(result, expected)


def matrix(n, m, dtype=float):
    return lambda: (np.arange(n * m).reshape(n, m) % 17).astype(dtype)


def native(function):
    """The function anew: what was compiled for the interpreter stays with it."""
    return frit.jit(strict=True)(function.__wrapped__)


@pytest.fixture
def interpreter(monkeypatch):
    """The interpreter runs programs: compiling many versions of a function by a C compiler takes long."""
    monkeypatch.setenv("CC", "no-such-compiler")


quick = pytest.mark.usefixtures("interpreter")

VIEWS = {
    "plain": lambda a: a,
    "transposed": lambda a: a.T,
    "rows": lambda a: a[1:-1],
    "columns": lambda a: a[:, 2:-1],
    "inner": lambda a: a[1:-2, 1:-1],
    "steps": lambda a: a[::2, ::3],
    "reversed": lambda a: a[::-1],
    "columns of the reversed": lambda a: a[::-1, ::-1],
    "transposed columns": lambda a: a[:, 1:4].T,
    "fortran": np.asfortranarray,
    "repeated": lambda a: np.broadcast_to(a[:1], (5, a.shape[1])),
    "foreign order of bytes": lambda a: a.astype(a.dtype.newbyteorder()),
}


@quick
@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize(
    ("shape", "dtype"), [((6, 7), float), ((400, 500), float), ((6, 7), np.int16), ((6, 7), np.complex64)]
)
def test_arrays_of_any_strides_are_read(name, shape, dtype):
    view = VIEWS[name]
    compare(blend, matrix(*shape, dtype), lambda a: (view(a), view(a)))


@quick
@pytest.mark.parametrize("name", [name for name in VIEWS if name != "repeated"])
@pytest.mark.parametrize("shape", [(6, 9), (400, 500)])
def test_arrays_of_any_strides_are_changed(name, shape):
    view = VIEWS[name]
    compare(smooth, matrix(*shape), lambda a: (view(a), 2))


@quick
def test_orders_of_three_axes():
    for axes in itertools.permutations(range(3)):
        compare(add_to, lambda: np.arange(60.0).reshape(3, 4, 5), lambda a: (a.transpose(axes), 1.5))


def test_a_large_part_of_an_array_is_read_where_it_is():
    @frit.jit(strict=True)
    def total(a, k):
        return (a * k).sum(axis=0)

    a = np.arange(1200.0 * 1000).reshape(1200, 1000)
    np.testing.assert_allclose(total(a[3:, 5:900], 2.0), (a[3:, 5:900] * 2.0).sum(axis=0))
    assert "a: where it is, as a part of another array" in str(total.explain())
    np.testing.assert_allclose(total(a.T, 2.0), (a.T * 2.0).sum(axis=0))
    assert "a: where it is, with the axes in the order of memory" in str(total.explain())
    np.testing.assert_allclose(total(a[::2, ::7], 2.0), (a[::2, ::7] * 2.0).sum(axis=0))
    assert "a: as a copy" in str(total.explain()) and "as a copy" in total.explain().html


def test_what_is_changed_in_place_is_not_copied():
    u = np.random.default_rng(1).random((300, 200))
    place, expected = u.ctypes.data, u.copy()
    result = native(smooth)(u, 2)
    smooth.__wrapped__(expected, 2)
    assert result is u and u.ctypes.data == place
    np.testing.assert_allclose(u, expected)


SHIFTS = {
    "forwards": (lambda a: (a[1:], a[:-1])),
    "backwards": (lambda a: (a[:-1], a[1:])),
    "by five": (lambda a: (a[5:], a[:-5])),
    "itself": (lambda a: (a, a)),
    "itself without a step": (lambda a: (a[::2], a[::2])),
    "every second": (lambda a: (a[::2], a[1::2][: len(a[::2])])),
    "reversed": (lambda a: (a, a[::-1])),
    "one in the other": (lambda a: (a[2:12], a[::3][:10])),
}


@quick
@pytest.mark.parametrize("name", SHIFTS)
@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.complex128])
def test_vectors_that_share_memory(name, dtype):
    compare(add_to, lambda: np.arange(40).astype(dtype), SHIFTS[name])


PARTS = {
    "diagonal": lambda a: (a[1:, 1:], a[:-1, :-1]),
    "columns beside": lambda a: (a[:, :4], a[:, 4:8]),
    "columns that overlap": lambda a: (a[:, :5], a[:, 2:7]),
    "rows that overlap": lambda a: (a[:-2], a[2:]),
    "a row": lambda a: (a, a[1]),
    "a column": lambda a: (a[:, 2:], a[:, 3:4]),
    "an inner row": lambda a: (a[1:-1], a[2]),
    "transposed": lambda a: (a[:7, :7], a[:7, :7].T),
    "steps": lambda a: (a[::2, ::2], a[1::2, 1::2]),
    "reversed": lambda a: (a, a[::-1, ::-1]),
    "lines of a part": lambda a: (a[2:5].reshape(-1)[3:20], a[2:5].reshape(-1)[:17]),
}


@quick
@pytest.mark.parametrize("name", PARTS)
def test_matrices_that_share_memory(name):
    compare(add_to, matrix(8, 8), PARTS[name])


@pytest.mark.parametrize(
    ("function", "views"),
    [
        (add_to, lambda a: (a[1:], a[:-1])),
        (add_to, lambda a: (a, a)),
        (add_to, lambda a: (a[1:, 1:], a[:-1, :-1])),
        (smooth, lambda a: (a.T, 3)),
        (smooth, lambda a: (a[:, 2:7], 3)),
    ],
    ids=["shifted", "itself", "diagonal", "transposed", "columns"],
)
def test_native_code_changes_what_the_caller_gave(function, views):
    for n in (8, 64):
        compare(native(function), matrix(n, n + 1), views)


@quick
def test_three_arguments_that_share_memory():
    for views in [
        lambda a: (a[1:11], a[:10], a[2:12]),
        lambda a: (a[:10], a[:10], a[20:]),
        lambda a: (a[:10], a[5:15], a[:10]),
        lambda a: (a[20:], a[10:20], a[:10]),
    ]:
        compare(exchange, lambda: np.arange(30.0), views)


def test_elements_that_do_not_overlap_are_told_from_those_that_do():
    a = np.arange(12.0)
    expected = a.copy()
    expected[::2] += expected[1::2]
    function = native(add_to)
    function(a[::2], a[1::2])
    np.testing.assert_array_equal(a, expected)
    assert "a: as a copy: its elements do not fill its memory; changed" in str(function.explain())


def test_what_shares_memory_in_other_ways_is_left_to_numpy():
    strided = np.lib.stride_tricks.as_strided
    for views, why in [
        (lambda a: (a[4:12].reshape(2, 4), a[2:10].reshape(2, 4)), "not both parts of one array"),
        (lambda a: (a, a.view(np.int32)[8:24]), "differ in type"),
        (lambda a: (strided(a, (4, 4), (8, 8)), 1), "several indices of argument 1 have one element"),
    ]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compare(frit.jit(add_to.__wrapped__), lambda: np.arange(16), views)
        with pytest.raises(frit.CompileError, match=why):
            add_to(*views(np.arange(16)))


@pytest.mark.parametrize("is_fitting_first", [False, True])
def test_extents_need_not_be_equal_where_arrays_do_not_meet(is_fitting_first):
    @frit.jit(strict=True)
    def meet(a, b, n):
        s = 0.0
        for _ in range(n):
            s += np.sum(a[1:] * b[:-1])
        return s

    a, b = np.arange(1.0, 5.0), np.arange(2.0, 6.0)
    calls = [lambda: meet(a, b, 2) == 2 * np.sum(a[1:] * b[:-1]), lambda: meet(a, b[1:], 0) == 0]
    for call in calls if is_fitting_first else calls[::-1]:
        assert call()
    with pytest.raises(ValueError, match="could not be broadcast together"):
        meet(a, b[1:], 1)
    assert calls[0]()


def test_arrays_that_are_broadcast_may_not_be_written():
    with pytest.raises(ValueError, match="read-only"):
        add_to(np.broadcast_to(np.arange(3.0), (2, 3)), 1.0)


@quick
def test_random_views_of_one_array_that_are_changed():
    random = np.random.default_rng(40)

    def part(a):
        index = []
        for extent in a.shape:
            start = int(random.integers(0, 4))
            stop = extent - int(random.integers(0, 4))
            step = int(random.choice([1, 1, 1, 2, -1, -2]))
            index.append(slice(start, stop, step) if step > 0 else slice(stop - 1 if stop else None, start - 1 if start else None, step))
        view = a[tuple(index)]
        return view.T if random.random() < 0.3 else view

    lenient = frit.jit(add_to.__wrapped__)
    shared = 0
    for _ in range(200):
        state = random.bit_generator.state
        results = []
        for function in (lenient, add_to.__wrapped__):
            random.bit_generator.state = state
            a = np.arange(63).reshape(7, 9)
            one, other = part(a), part(a)
            rows, columns = min(one.shape[0], other.shape[0]), min(one.shape[1], other.shape[1])
            one, other = one[:rows, :columns], other[:rows, :columns]
            shared += np.shares_memory(one, other)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(one, other)
            results.append(a)
        np.testing.assert_array_equal(*results)
    assert shared > 100


INTERRUPTED = """
import os, signal, threading, time, numpy as np, frit

@frit.jit(strict=True)
def long(u, steps):
    for _ in range(steps):
        u[1:-1] = 0.5 * (u[2:] + u[:-2])
    return u

u = np.zeros(100_000)
long(u, 1)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    long(u, 1 << 40)
except KeyboardInterrupt:
    assert time.monotonic() - start < 10
    long(u, 1)
    print("interrupted")
"""


def test_a_long_call_is_interrupted(tmp_path):
    file = tmp_path / "long.py"
    file.write_text(INTERRUPTED)
    done = subprocess.run([sys.executable, file], capture_output=True, timeout=100, text=True)
    assert done.stdout == "interrupted\n", done.stderr
