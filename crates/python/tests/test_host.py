"""Calls that are not compiled: Python makes them in the middle of compiled functions."""

import copy
import threading
import types
import warnings

import numpy as np
import pytest

import frit

FOREIGN = types.ModuleType("foreign")
exec(
    """
import numpy as np

calls = []
kept = []

def smooth(x, times=1):
    calls.append(times)
    for _ in range(times):
        x = (x + np.roll(x, 1)) / 2
    return x

def both(x):
    return x.sum(), {"rows": len(x)}, x * 2

def scale(x, factor):
    x *= factor

def as_told(x, kind):
    return x.astype(kind)

def same(x):
    return x

def keep(x):
    kept.append(x)
    return float(x.sum())

def fail(x):
    raise KeyError("no key")

class Model:
    def __init__(self, weight):
        self.weight = weight
    def __call__(self, x):
        return x * self.weight
    def fit(self, x):
        self.weight = float(x.mean())

class Stop(Exception):
    pass

def stop(x):
    error = Stop("here")
    error.x = x.copy()
    raise error
""",
    FOREIGN.__dict__,
)
MODEL = FOREIGN.Model(3.0)
RNG = np.random.default_rng(1)


def agree(one, other):
    if other is None:
        return one is None
    if isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(agree, one, other))
    one, other = np.asarray(one), np.asarray(other)
    return one.dtype == other.dtype and one.shape == other.shape and np.allclose(one, other, equal_nan=True)


def check(function, *arguments, calls=3):
    """The compiled function does what the undecorated one does, without a warning, and is compiled in the end."""
    compiled = frit.jit(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(calls):
            mine = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
            its = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
            assert agree(compiled(*mine), function(*its))
            assert all(agree(x, y) for x, y in zip(mine, its) if isinstance(x, np.ndarray))
    assert "callback" in compiled.dump("front")
    return compiled


def implicit_steps(a, u, n):
    for _ in range(n):
        b = u + 0.1 * u**2
        u = np.linalg.solve(a, b)
    return u * 2


def test_solve_in_a_loop():
    check(implicit_steps, np.eye(5) * 2 + 0.1, np.arange(5.0), 4)


def low_pass(x, keep):
    spectrum = np.fft.fft(x)
    spectrum[keep:] *= 0.5
    y = np.fft.ifft(spectrum)
    return y.real, np.abs(spectrum) ** 2


def test_fft_filter():
    check(low_pass, np.sin(np.arange(32.0)), 5)
    check(low_pass, np.sin(np.arange(32.0)).astype(np.float32), 5)


def middle(x):
    s = np.sort(x, axis=1)
    order = np.argsort(x[:, 0])
    n = s.shape[1]
    mean = s[:, 1 : n - 1].mean(axis=1)
    return mean, order + 1, s[:, n // 2] - mean


def test_sort_then_statistics():
    check(middle, np.random.default_rng(0).random((6, 9)))


def decompositions(a):
    w, v = np.linalg.eigh(a)
    u, s, vh = np.linalg.svd(a)
    q, r = np.linalg.qr(a)
    rebuilt = (v * w) @ v.T
    return rebuilt, (u * s) @ vh, q @ r, np.linalg.det(a) + 1.0, np.linalg.inv(a), np.linalg.cholesky(a)


def test_results_that_are_tuples():
    check(decompositions, np.array([[4.0, 1.0], [1.0, 3.0]]))


def by_field(a):
    result = np.linalg.eigh(a)
    return result.eigenvalues * 2


def test_results_that_are_named_tuples():
    check(by_field, np.array([[4.0, 1.0], [1.0, 3.0]]))


def walk(rng, n):
    x = rng.normal(size=n)
    y = rng.random((n, 2))
    rng.shuffle(x)
    return x.cumsum() + y[:, 0]


def test_a_generator_as_argument():
    compiled = frit.jit(walk)
    for seed in range(3):
        assert agree(compiled(np.random.default_rng(seed), 10), walk(np.random.default_rng(seed), 10))
    assert "callback" in compiled.dump("front")


def seeded(n):
    np.random.seed(3)
    x = np.random.rand(n, 2)
    y = np.random.randint(0, 10, size=n)
    rng = np.random.default_rng(5)
    return x.sum(axis=1) + y + rng.standard_normal(n)


def test_the_global_generator_and_one_that_the_function_makes():
    check(seeded, 7)


def by_global(x):
    return x + RNG.normal(size=x.shape[0])


def test_a_generator_of_the_module():
    compiled = frit.jit(by_global)
    for _ in range(2):
        RNG.bit_generator.state = np.random.default_rng(9).bit_generator.state
        one = compiled(np.arange(4.0))
        RNG.bit_generator.state = np.random.default_rng(9).bit_generator.state
        assert agree(one, by_global(np.arange(4.0)))


def test_a_generator_of_the_module_that_is_replaced(monkeypatch):
    compiled = frit.jit(by_global)
    for seed in (4, 4, 5):
        monkeypatch.setitem(globals(), "RNG", np.random.default_rng(seed))
        one = [compiled(np.arange(4.0)) for _ in range(3)]
        monkeypatch.setitem(globals(), "RNG", np.random.default_rng(seed))
        assert agree(one, [by_global(np.arange(4.0)) for _ in range(3)])


def smoothed(x, n):
    y = x * 2
    for i in range(n):
        y = FOREIGN.smooth(y, times=2) + i
    return y - x


def test_a_function_of_another_module():
    FOREIGN.calls.clear()
    check(smoothed, np.arange(8.0), 3)
    assert FOREIGN.calls == [2] * 18


def mixed(x):
    total, info, double = FOREIGN.both(x + 1)
    return total * double


def test_objects_among_results_are_passed_on_or_dropped():
    check(mixed, np.arange(4.0))


def predicted(model, x):
    model.fit(x * 2)
    return model(x) + MODEL(x)


def test_objects_that_are_called():
    compiled = frit.jit(predicted)
    for _ in range(3):
        model = FOREIGN.Model(1.0)
        assert agree(compiled(model, np.arange(5.0)), predicted(FOREIGN.Model(1.0), np.arange(5.0)))


def sorted_part(a):
    part = a[1:-1]
    part.sort()
    a += 1
    return part[0] + a[1]


def sorted_rows(a):
    for i in range(a.shape[0]):
        a[i].sort()
    a[:, 0].sort()
    return a.sum(axis=0)


def scaled_view(a):
    FOREIGN.scale(a[:, 1], 3.0)
    b = a.T
    FOREIGN.scale(b, 2.0)
    return b[0] + 1


def test_arguments_that_are_written_through_views():
    check(sorted_part, np.array([5.0, 4.0, 3.0, 2.0, 1.0]))
    check(sorted_rows, np.random.default_rng(0).random((4, 5)))
    check(scaled_view, np.arange(6.0).reshape(3, 2))


def rises(x):
    y = x + 1
    FOREIGN.fail(y)
    return y


def stops(x):
    y = np.sort(x) * 2
    FOREIGN.stop(y)
    return y


def singular(a, b):
    return np.linalg.solve(a * 0, b) + 1


def test_exceptions_are_those_of_the_call():
    compiled = frit.jit(rises)
    for _ in range(2):
        with pytest.raises(KeyError, match="no key"):
            compiled(np.arange(3.0))
    compiled = frit.jit(stops)
    for _ in range(3):
        with pytest.raises(FOREIGN.Stop) as raised:
            compiled(np.array([3.0, 1.0]))
        assert agree(raised.value.x, np.array([2.0, 6.0]))
    compiled = frit.jit(singular)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError):
            compiled(np.eye(2), np.ones(2))
    assert "callback" in compiled.dump("front")


def reports(x, n):
    print("start", x.shape[0])
    for i in range(n):
        x = x * 0.5
        if i % 2 == 0:
            print(f"step {i}: {x.sum():.3f}", x[:2], end=";\n")
    print("%d steps of %s" % (n, "all"), float(x[0]), True, sep=", ")
    return x


def test_prints_keep_their_order(capsys):
    compiled = frit.jit(reports)
    x = np.arange(4.0)
    for n in (1, 5):
        reports(x, n)
        expected = capsys.readouterr().out
        compiled(x, n)
        assert capsys.readouterr().out == expected
    assert "callback" in compiled.dump("front")


def test_threads_make_calls_at_the_same_time():
    compiled = frit.jit(implicit_steps)
    a = np.eye(20) * 2 + 0.01
    wrong = []

    def work(at):
        u = np.arange(20.0) + at
        for _ in range(20):
            if not agree(compiled(a, u, 3), implicit_steps(a, u, 3)):
                wrong.append(at)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


KIND = ["float64"]


def told(x):
    y = FOREIGN.as_told(x, KIND[0] if False else FOREIGN.kind)
    return y * 2


def test_results_that_change_their_type_are_an_error_and_then_python():
    FOREIGN.kind = "float64"
    compiled = frit.jit(lambda_free_told)
    x = np.arange(3.0)
    assert agree(compiled(x), np.arange(3.0) * 2) and agree(compiled(x), np.arange(3.0) * 2)
    FOREIGN.kind = "float32"
    with pytest.raises(TypeError, match=r"gave float32\[:\], not float64\[:\]"):
        compiled(x)
    with pytest.warns(RuntimeWarning, match="runs undecorated"):
        assert agree(compiled(x), np.arange(3.0, dtype=np.float32) * 2)


def lambda_free_told(x):
    return FOREIGN.told(x) * 2


FOREIGN.told = lambda x: x.astype(FOREIGN.kind)


def keeping(x):
    y = x + 1
    total = FOREIGN.keep(y)
    y += 1
    return y + total


def sharing(x):
    y = FOREIGN.same(x)
    y += 1
    return x.sum()


def test_what_keeps_or_shares_memory_runs_in_python():
    for function in (keeping, sharing):
        compiled = frit.jit(function)
        x = np.arange(3.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(3):
                assert agree(compiled(x.copy()), function(x.copy()))


def not_reached(x, flag):
    y = x * 2
    if flag:
        y = FOREIGN.smooth(y)
    return y + 1


def test_calls_that_the_first_run_does_not_reach():
    compiled = frit.jit(not_reached)
    x = np.arange(4.0)
    for flag in (False, False, True, True, False):
        assert agree(compiled(x, flag), not_reached(x, flag))
    assert "callback" in compiled.dump("front")


def told_names(a, names):
    names.append("q")
    print(names, len(names), FOREIGN.nothing(a).shape)
    return a + len(names)


FOREIGN.nothing = lambda x: x[:0]


def solved(a):
    return np.linalg.solve(a, [1.0, 2.0]) * 2


def printed_list(a):
    items = [a.sum(), 2.0]
    print(items, (items, 1))
    items[1] = 3.0
    return a * items[1]


FOREIGN.parts = lambda x, by: [x + by[0], x * by[1]]
FOREIGN.lengthen = lambda x, items: items.append(1.0)


def in_parts(a):
    parts = FOREIGN.parts(a, [1.0, 2.0])
    parts[0] += 1.0
    return parts[0] + parts[1], len(parts)


def lengthened(a):
    items = [2.0, 3.0]
    FOREIGN.lengthen(a, items)
    return a * len(items)


def test_lists_are_arguments_and_results_of_calls(capsys):
    check(solved, np.array([[2.0, 0.0], [1.0, 1.0]]))
    check(in_parts, np.arange(4.0))
    compiled = frit.jit(printed_list)
    for _ in range(2):
        assert agree(compiled(np.arange(3.0)), np.arange(3.0) * 3.0)
    assert "callback" in compiled.dump("front") and capsys.readouterr().out.count("[np.float64(3.0), 2.0] ([np.float64(3.0), 2.0], 1)") == 2


@pytest.mark.filterwarnings("ignore:frit")
def test_lists_that_calls_may_change_are_left_to_python():
    compiled = frit.jit(lengthened)
    for _ in range(3):
        assert agree(compiled(np.arange(3.0)), np.arange(3.0) * 3)


@pytest.mark.filterwarnings("ignore:frit")
def test_lists_that_are_changed_are_those_of_the_caller(capsys):
    compiled = frit.jit(told_names)
    for _ in range(3):
        mine, its = ["a"], ["a"]
        assert agree(compiled(np.arange(3.0), mine), told_names(np.arange(3.0), its)) and mine == its
    assert capsys.readouterr().out.count("['a', 'q'] 2 (0,)") == 6


def appended(a, n):
    n.append(a.sum())
    return a


def put(a, n):
    n[0] = 5.0
    return a * n[1]


def passed_on(a, n):
    return put(a, n) + len(n)


def deep(a, n):
    for row in n:
        row[0] = 1.0
    return a


def by_another_name(a, n):
    m = n
    m += [3.0]
    return a


def in_dictionary(a, n):
    n["x"] = 2.0
    return a


@pytest.mark.filterwarnings("ignore:frit")
@pytest.mark.parametrize(
    "function, value",
    [(appended, [1.0]), (put, [1.0, 2.0]), (passed_on, [1.0, 2.0]), (deep, [[2.0]]), (by_another_name, [1.0]), (in_dictionary, {})],
)
def test_changes_of_lists_and_dictionaries_are_seen(function, value):
    mine, its = copy.deepcopy(value), copy.deepcopy(value)
    for _ in range(2):
        assert agree(frit.jit(function)(np.arange(3.0), mine), function(np.arange(3.0), its)) and mine == its


def read(a, n, rows):
    total = sum(n) + n[0] * len(n)
    for x in n:
        total += x
    first, second = n
    n[0], n[1]
    return a * total + rows[0][1] + first - second


def stepped(a, arrays):
    arrays[0] -= 0.5 * a
    arrays[-1] *= 2.0
    return arrays[0] + arrays[1]


def test_lists_that_are_only_read_are_constants():
    compiled = frit.jit(strict=True)(read)
    assert agree(compiled(np.arange(3.0), [1.0, 2.0], [[1, 2]]), read(np.arange(3.0), [1.0, 2.0], [[1, 2]]))
    mine, its = [np.ones(3), np.zeros(3)], [np.ones(3), np.zeros(3)]
    assert agree(frit.jit(strict=True)(stepped)(np.arange(3.0), mine), stepped(np.arange(3.0), its))
    assert agree(mine[0], its[0]) and agree(mine[1], its[1])


def helper(x):
    try:
        return x + 1.0
    except ValueError:
        return x


def with_helper(x):
    return helper(x * 2) * 3


def test_a_function_of_the_program_that_cannot_be_compiled_is_called():
    check(with_helper, np.arange(5.0))


def test_strict_functions_refuse_calls_with_the_place():
    for function in (implicit_steps, smoothed, reports, low_pass):
        with pytest.raises(frit.CompileError, match=r"test_host\.py:\d+:"):
            frit.jit(strict=True)(function)(*([np.eye(2), np.ones(2), 1] if function is implicit_steps else [np.ones(4), 1]))


def test_explain_names_the_calls():
    compiled = frit.jit(implicit_steps)
    compiled(np.eye(2), np.ones(2), 2)
    said = str(compiled.explain())
    assert "numpy.linalg.solve" in said and "test_host.py" in said
