"""Functions of NumPy and `math` that are other functions of elements.

`library.rs` says how these files are used. A name with two underscores is of a part of NumPy, as `linalg__norm`. Parameters
behind `*` are of a function that the front end has itself, but for them.
"""


def divmod(x1, x2):
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


def modf(x):
    whole = np.trunc(x)
    return np.copysign(np.where(np.isinf(x), 0.0, x - whole), x), whole


def frexp(x):
    has_none = (x == 0) | ~np.isfinite(x)
    exponent = np.where(has_none, 0, np.floor(np.log2(np.abs(np.where(has_none, 1.0, x)))) + 1)
    part = x / 2.0**exponent
    high, low = np.abs(part) >= 1, (np.abs(part) < 0.5) & ~has_none
    exponent = np.where(high, exponent + 1, np.where(low, exponent - 1, exponent))
    return np.where(has_none, x, x / 2.0**exponent), exponent.astype(np.int32)


def ldexp(x1, x2):
    return x1 * np.where(True, 2.0, x1) ** x2


def sinc(x):
    y = np.pi * np.where(x == 0, 1.0e-20, x)
    return np.sin(y) / y


def isposinf(x):
    return x == np.inf


def isneginf(x):
    return x == -np.inf


def logaddexp(x1, x2):
    most, off = np.maximum(x1, x2), np.abs(x1 - x2)
    return np.where(x1 == x2, x1 + np.log(2.0), most + np.log1p(np.exp(-off)))


def logaddexp2(x1, x2):
    most, off = np.maximum(x1, x2), np.abs(x1 - x2)
    return np.where(x1 == x2, x1 + 1.0, most + np.log1p(np.exp2(-off)) / np.log(2.0))


def gcd(x1, x2):
    x, y = np.abs(x1) + 0 * x2, np.abs(x2) + 0 * x1
    while np.any(y != 0):
        x, y = np.where(y != 0, y, x), np.where(y != 0, x % np.maximum(y, 1), 0)
    return x


def lcm(x1, x2):
    return np.abs(x1 // np.maximum(np.gcd(x1, x2), 1) * x2)


def bitwise_count(x):
    x = np.abs(x)
    count = np.zeros(np.shape(x), np.uint8)
    while np.any(x != 0):
        count = count + (x & 1).astype(np.uint8)
        x = x >> 1
    return count


def isreal(x):
    return np.imag(x) == 0


def iscomplex(x):
    return np.imag(x) != 0


def complex_sin(z):
    return np.sin(z.real) * np.cosh(z.imag) + 1j * (np.cos(z.real) * np.sinh(z.imag))


def complex_cos(z):
    return np.cos(z.real) * np.cosh(z.imag) - 1j * (np.sin(z.real) * np.sinh(z.imag))


def complex_sinh(z):
    return np.sinh(z.real) * np.cos(z.imag) + 1j * (np.cosh(z.real) * np.sin(z.imag))


def complex_cosh(z):
    return np.cosh(z.real) * np.cos(z.imag) + 1j * (np.sinh(z.real) * np.sin(z.imag))


def complex_tan(z):
    divisor = np.cos(2 * z.real) + np.cosh(2 * z.imag)
    return np.sin(2 * z.real) / divisor + 1j * (np.sinh(2 * z.imag) / divisor)


def complex_tanh(z):
    divisor = np.cosh(2 * z.real) + np.cos(2 * z.imag)
    return np.sinh(2 * z.real) / divisor + 1j * (np.sin(2 * z.imag) / divisor)


def piecewise(x, condlist, funclist):
    out = np.zeros_like(x)
    taken = x != x
    for cond, choice in zip(condlist, funclist):
        out[cond] = choice(x[cond]) if callable(choice) else choice
        taken = taken | cond
    for choice in funclist[len(condlist) :]:
        out[~taken] = choice(x[~taken]) if callable(choice) else choice
    return out


def choose(a, choices):
    assert np.all((0 <= a) & (a < len(choices)))
    chosen = choices[0]
    for k, choice in enumerate(choices):
        chosen = np.where(a == k, choice, chosen)
    return chosen


def unwrap(p):
    steps = np.diff(p)
    inside = np.remainder(steps + np.pi, 2 * np.pi) - np.pi
    inside = np.where((inside == -np.pi) & (steps > 0), np.pi, inside)
    offsets = np.where(np.abs(steps) < np.pi, 0.0, inside - steps)
    out = np.array(p)
    out[..., 1:] += np.cumsum(offsets, axis=-1)
    return out


def math__factorial(n):
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


def math__comb(n, k):
    ways = 1
    for i in range(1, k + 1):
        ways = ways * (n - k + i) // i
    return ways


def math__isqrt(n):
    root = int(np.sqrt(n))
    while root * root > n:
        root -= 1
    while (root + 1) * (root + 1) <= n:
        root += 1
    return root


def math__gcd(a, b):
    a, b = abs(a), abs(b)
    while b:
        a, b = b, a % b
    return a


def math__lcm(a, b):
    return abs(a * b) // max(math.gcd(a, b), 1)


def math__dist(p, q):
    return math.sqrt(sum([(x - y) * (x - y) for x, y in zip(p, q)]))


def math__prod(values):
    product = 1
    for value in values:
        product *= value
    return product


def math__modf(x):
    whole = float(np.trunc(x))
    return math.copysign(0.0 if math.isinf(x) else x - whole, x), whole


def math__ldexp(x, n):
    return x * 2.0**n


def math__isclose(a, b, rel_tol=1e-9, abs_tol=0.0):
    return a == b or bool(abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol))


def math__log(x, base):
    return math.log(x) / math.log(base)


def math__fsum(values):
    return float(np.sum(values))
