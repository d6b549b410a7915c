"""Python's own statements and expressions around arrays."""

import math
from collections import namedtuple
from typing import NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import case

N_STEPS, TOLERANCE = 5, 1e-6
OPTIONS = {"alpha": 0.5, "steps": 3}
OFFSETS = [(-1, 0), (1, 0), (0, -1), (0, 1)]
Pair = namedtuple("Pair", ["low", "high"])
counter = 3


class Bounds(NamedTuple):
    lower: float
    upper: float


@case(lambda r: (r.random(6), 0.5))
def for_with_else(x, limit):
    for i, v in enumerate(x):
        if v > 1 + limit:
            found = i
            break
    else:
        found = -1
    n = 0
    while n < 4:
        n += 1
        if n == 10:
            break
    else:
        n = -n
    return found, n


@case(lambda r: (r.random(6), 0.2), lambda r: (r.random(6), 2.0))
def first_above(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


@case(lambda r: (r.random(6), 2), lambda r: (r.random(6), 0))
def raise_or_return(x, n):
    if n > 1:
        return x[n]
    elif n < 0:
        raise ValueError(f"{n} is negative")
    else:
        return x[0] * 2


@case(lambda r: (3.0,))
def checked(x):
    if not isinstance(x, float):
        raise TypeError("a float is needed")
    if x < 0:
        raise ValueError("x must not be negative, but is " + str(x))
    return math.sqrt(x)


@case(lambda r: (r.random(5),))
def uses_global(x):
    global counter
    return x * counter + TOLERANCE


@case(lambda r: (r.random((4, 5)),))
def uses_constants(a):
    out = np.zeros_like(a)
    for dy, dx in OFFSETS:
        out += np.roll(a, (dy, dx), axis=(0, 1))
    for step in range(OPTIONS["steps"]):
        out *= OPTIONS["alpha"]
    return out


@case(lambda r: (r.random(5),))
def uses_dictionary(x):
    params = {"a": 2.0, "b": x.sum()}
    params["c"] = params["a"] * 3
    return params["a"] * x + params["b"] - params["c"]


@case(lambda r: (4,))
def list_that_grows(n):
    out = []
    for i in range(n):
        out.append(i * i + 0.5)
    return np.array(out)


@case(lambda r: (r.random((4, 3)),))
def list_of_rows(a):
    rows = []
    for i in range(3):
        rows.append(a[i] * i)
    rows.append(a[3])
    return np.stack(rows), np.array([row.sum() for row in rows]), len(rows)


@case(lambda r: (r.random(7),))
def list_of_unknown_length(x):
    kept = []
    for v in x:
        if v > 0.5:
            kept.append(v)
    return np.array(kept)


def swap_parts(parts, i, j):
    parts[i], parts[j] = parts[j], parts[i]


@case(lambda r: (r.random(5), r.random(5)))
def list_changed_in_a_function(x, y):
    parts = [x, y, x + y]
    swap_parts(parts, 0, 2)
    parts[1] = parts[1] * 2
    parts += [y]
    return parts[0], parts[1], len(parts)


def scale_in_place(v, factor=2.0):
    v *= factor


@case(lambda r: (r.random((4, 5)),))
def changes_in_a_called_function(a):
    scale_in_place(a[1:3])
    scale_in_place(a[:, 0], factor=0.5)
    scale_in_place(v=a.T[2])
    return a.sum()


@case(lambda r: (r.random(5), r.random(5)))
def closures(x, y):
    scale = 3.0

    def weigh(v, power=2):
        return scale * v**power

    add = lambda p, q=1.0: p + q * weigh(p)
    return add(x), add(y, q=0.5), (lambda t: t - 1)(x)


@case(lambda r: (r.random((2, 6)),))
def unpacking(a):
    x, y = a
    (p, q), *rest = [(1, 2), 3, 4]
    first, *middle, last = x[0], x[1], x[2], x[3]
    args = (x, y)
    s = np.add(*args)
    return s * p + q, sum(rest), first + last, np.array(middle)


@case(lambda r: (r.random(5),))
def conditional_expressions(x):
    n = x.size
    factor = 2.0 if n > 3 else 1.0
    sign = 1 if x[0] > x[1] else -1 if x[0] < x[1] else 0
    ok = n > 2 and x[0] >= 0 or not x.any()
    return factor * x, sign, ok, 1 <= n and 0 < x[0] < 1


@case(lambda r: (r.random(6),))
def walrus(x):
    total = 0.0
    i = 0
    while (v := x[i]) > 0.01 and i < x.size - 1:
        total += v
        i += 1
    if (m := x.max()) > 0.5:
        total += m
    return total, i


@case(lambda r: (r.random(6), 3), lambda r: (r.random(6), 7))
def nested_returns(x, n):
    for i in range(n):
        for j in range(i):
            if i * j == 6:
                return i, j
            if x[j] > 2:
                return -1, -1
    return 0, 0


@case(lambda r: (r.random(6),))
def named_tuples(x):
    pair = Pair(x.min(), high=x.max())
    b = Bounds(0.25, upper=0.75)
    clipped = np.clip(x, b.lower, b.upper)
    low, high = pair
    return clipped, high - low, pair.low + b[1]


@case(lambda r: (r.random(6),), lambda r: (r.random(6), 3))
def defaults(x, n: Optional[int] = None, dtype=np.float32):
    if n is None:
        n = len(x)
    n = n or 1
    return x[:n].astype(dtype), np.zeros(n, dtype)


@case(lambda r: (r.random(4), 10))
def builtins(x, n):
    a, b = divmod(n, 3)
    return (
        min(n, 4),
        max(x[0], x[1], 0.5),
        sum(x[i] * i for i in range(4)),
        abs(-n),
        round(2.567, 1),
        round(2.5),
        pow(2, n),
        a * b,
        int(3.7) + int(True),
        float(n) / 4,
        any(x[i] > 2 for i in range(4)),
        all([x[0] >= 0, n > 3]),
        min(x),
        max(3, 2.5),
        sum([1, 2, 3], 10),
        bool(n),
        sum(x > 0.5),
        len(range(0, n, 3)),
    )


@case(lambda r: (2.3, 0.7))
def mathematics(x, y):
    return (
        math.floor(x),
        math.ceil(x),
        math.hypot(x, y),
        math.fabs(-x),
        math.copysign(x, -y),
        math.atan2(y, x),
        math.degrees(x),
        math.radians(x),
        math.log(x, 2),
        math.log2(x),
        math.exp(x),
        math.pow(x, y),
        math.fmod(x, y),
        math.isnan(x),
        math.isfinite(y),
        math.gcd(12, 18),
        math.isqrt(17),
        math.trunc(-x),
        math.tau,
        math.dist((x, y), (0.0, 0.0)),
        math.factorial(5),
        math.comb(5, 2),
        math.modf(x)[0],
        math.isclose(x, x + 1e-12),
        math.prod([1, 2, 3]),
    )


@case(lambda r: (r.random(5), np.arange(5)))
def loops_over_things(x, k):
    total = 0.0
    for v, w in zip(x, k):
        total += v * w
    for i, (v, w) in enumerate(zip(x[1:], x[:-1]), start=1):
        total += i * (v - w)
    for v in reversed(x):
        total = total * 0.5 + v
    for i in range(len(x) - 1, -1, -2):
        total -= x[i]
    for i in np.arange(3):
        total += x[i]
    for i, j in np.ndindex(2, 3):
        total += i * j
    for (i,), v in np.ndenumerate(x):
        total += i * v
    for v in x.flat:
        total += v
    for v in [1.5, 2.5]:
        total += v
    return total


@case(lambda r: (r.random((3, 4)),))
def comprehensions(a):
    sums = np.array([row.sum() for row in a])
    squares = np.array([[a[i, j] ** 2 for j in range(4)] for i in range(3)])
    evens = [i for i in range(6) if i % 2 == 0]
    mapped = np.array(list(map(lambda v: v + 1, [1.0, 2.0])))
    from_iterable = np.fromiter((i * i for i in range(5)), dtype=np.int64)
    return sums, squares, np.array(evens), mapped, from_iterable


@case(lambda r: (r.random((3, 4)), r.random((3, 4))))
def by_name(a, b):
    return (
        np.sum(a=a, axis=0),
        np.mean(a, axis=-1, dtype=np.float32),
        np.add(a, b, out=np.empty_like(a)),
        np.zeros(shape=(2, 3), dtype=int),
        np.full(3, fill_value=2.5),
        np.linspace(start=0, stop=1, num=5),
        np.arange(start=1, stop=4),
        np.concatenate((a, b), axis=1),
        a.reshape((4, 3)),
    )


@case(lambda r: (r.random(4),))
def deletes_and_passes(x):
    y = x + 1
    z = y * 2
    del y
    if x[0] > 5:
        pass
    else:
        z -= 1
    return z


@case(lambda r: (r.random((3, 3)), 4))
def exits_early(a, n):
    """Returns from different places."""
    if n == 0:
        return a, 0
    if a.shape[0] != a.shape[1]:
        return a, -1
    result = np.eye(len(a))
    base = a
    while n:
        if n % 2:
            result = result @ base
        base = base @ base
        n //= 2
    return result, 1


@case(lambda r: (r.random((3, 4)),))
def typed(a: "np.ndarray", scale: float = 2.0, shape: Tuple[int, int] = (4, 3)) -> Sequence[float]:
    out: np.ndarray = np.empty(shape)
    count: int = 0
    total: float
    total = 0.0
    for i in range(shape[0]):
        for j in range(shape[1]):
            out[i, j] = scale * a[j, i]
            count += 1
            total += out[i, j]
    return out, count, total


def halves(x):
    mid = len(x) // 2
    return x[:mid], x[mid:]


@case(lambda r: (r.random(8),))
def views_from_functions(x):
    left, right = halves(x)
    left[:] = right[::-1]
    right += 1
    y = halves(left)[1]
    y[...] = 0
    return left.copy(), right


@case(lambda r: (r.random((4, 5)), r.random((4, 5))))
def swaps(a, b):
    a[0], b[0] = b[0].copy(), a[0].copy()
    a[[1, 2]] = a[[2, 1]]
    x, y = a[3], b[3]
    x, y = y, x
    x += 1
    for _ in range(3):
        a, b = b, a
        a += 0.5 * b
    return a, b


@case(lambda r: (r.random(5), 3))
def strings_as_options(x, n, mode="mean"):
    if mode == "mean":
        f = np.mean
    elif mode == "sum":
        f = np.sum
    else:
        raise ValueError(f"unknown mode {mode!r}")
    return f(x) * n


@case(lambda r: (r.random((4, 5)),))
def asserts(a):
    assert a.ndim == 2, "a matrix is needed"
    assert isinstance(a, np.ndarray) and a.dtype == np.float64
    assert a.shape == (4, 5)
    n, m = a.shape
    assert n < m and n > 0, f"{n} is too large"
    return a.size, a.nbytes, a.itemsize, a.ndim, len(a), a.dtype == float


@case(lambda r: (r.random(6),))
def casts(x):
    i = int(x[0] * 10)
    f = float(x.sum())
    k = np.int64(i) + np.int32(2)
    s = np.float32(f)
    t = x.dtype.type(3)
    u = np.uint8(250) + np.uint8(3)
    return i, f, k, s, t, u, x[0].item(), x.astype(int).sum(), bool(x[0] > 0), np.bool_(True), complex(f, 1)


def mean_and_spread(values, axis=None, *, ddof=0):
    return values.mean(axis=axis), values.std(axis=axis, ddof=ddof)


@case(lambda r: (r.random((4, 5)),))
def keyword_only(a):
    options = dict(axis=1)
    m, s = mean_and_spread(a, ddof=1, axis=0)
    return m, s, mean_and_spread(a)[0], a.sum(**options), a.mean(**{"axis": 0})


@case(lambda r: (r.random(6), r.random(6)))
def aliases(x, y):
    z = x
    z += y
    w = x[::2]
    w *= 2
    x = x + 1
    x[0] = -1
    v = y.view()
    v[1] = 7
    return x, z, w
