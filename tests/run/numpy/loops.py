"""Loops, branches and functions."""
import math
from collections import namedtuple

import numpy as np

LIMIT = 50
TABLE = np.array([3, 1, 2])
Point = namedtuple("Point", "x y")


# entry: fib 50
# output: 55
# entry: fib 0
# output: 0
def fib(n):
    a, b = 0, 1
    while a < n:
        a, b = b, a + b
    return a


# entry: find [3,4,5] 5
# output: 2
# entry: find [3,4,5] 7
# output: -1
def find(a, x):
    for i in range(len(a)):
        if a[i] == x:
            return i
    return -1


# entry: find_2d [[3,4,5],[1,2,3]] 2
# output: {1, 1}
# entry: find_2d [[3,4,5],[1,2,3]] 8
# output: {-1, -1}
def find_2d(a, x):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] == x:
                return i, j
    return -1, -1


# entry: skips [1.0,-2,3,50,7,100]
# output: {156.000000, 3}
def skips(a):
    s = 0.0
    for i, x in enumerate(a):
        if x < 0:
            continue
        s += x * i
        if s > LIMIT:
            break
    return s, i


# entry: pairs [1,2,3] [4.0,5,6]
# output: 37.000000
def pairs(a, b):
    s = 0
    for x, y in zip(a, b):
        s += x * y
    for x, k in zip(TABLE, range(3)):
        s += x * k
    return s


# entry: early [1.0,2] 3
# output: [3.000000, 2.000000]
def early(a, n):
    if n == 0:
        return
    a[0] = n


# entry: down 10 -3
# output: 10741
# entry: down 3 2
# output: 0
def down(n, step):
    s = 0
    for i in range(n, 0, step):
        s = 10 * s + i
    return s


# entry: closures 3
# output: {7, 8}
def closures(n):
    def double(x):
        return scale * x
    scale = 2
    add = lambda x, y=1: x + y
    return add(double(n)), add(n, y=5)


# entry: points 2.0
# output: {4.000000, 4.000000}
def points(x):
    p = Point(x, x + 1)
    for _ in range(3):
        p = Point(p.y, p.x + 1)
    return p.x, p[1]


# entry: collatz 27
# output: 111
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


# entry: swapped [1.0,2] [3.0,4] 3
# output: {[1.000000, 2.000000], [3.000000, 2.000000], [4.000000, 4.000000]}
# entry: swapped [1.0,2] [3.0,4] 2
# output: {[-2.000000, -2.000000], [2.000000, 2.000000], [4.000000, 4.000000]}
def swapped(a, b, n):
    for i in range(n):
        a[0] += 1
        a, b = b, a
    return a - b


# entry: aliases [1.0,2,3]
# output: {[10.000000, 3.000000], [3.000000, 3.000000, 10.000000]}
def aliases(a):
    b = a[1:]
    b += 1
    c = b[::-1]
    c[0] = 10
    a[0] = b[0]
    return c


# entry: rebound [1.0,2] [5.0,5] 3
# output: [13.000000, 21.000000]
def rebound(u, v, n):
    w = u
    for i in range(n):
        w = w * 2
    return w + v


# entry: newton 2.0
# output: 1.414214
def newton(x):
    y = x
    while True:
        z = 0.5 * (y + x / y)
        if abs(z - y) < 1e-12:
            return z
        y = z


# entry: nested [[1.0,2],[3,4]]
# output: 4.146264
def nested(a):
    total = 0.0
    for row in a:
        for x in row:
            if x > 3:
                break
            total += math.sqrt(x)
    return total


# entry: halves [1.0,2,3,4,5,6,7,8]
# output: [36.000000]
def halves(x):
    while len(x) > 1:
        x = x[::2] + x[1::2]
    return x


# entry: kinds 3
# output: {0.125000, 3, -4, -2, 2, 1024, 0.500000, 3.500000}
def kinds(n):
    x = 1
    for i in range(n):
        x = x * 0.5
    y = 7 // 2, -7 // 2, 7 % -3, -7 % 3, 2**10, 2**-1, 7 / 2
    return x, y


# entry: conditional 3 [1.0,2]
# output: {[2.000000, 3.000000], 1, 1}
# entry: conditional -3 [1.0,2]
# output: {[2.000000, 4.000000], 2.500000, 0}
def conditional(n, a):
    if n > 0:
        b = a + 1
        k = 1
    else:
        b = a * 2
        k = 2.5
    return b, k, (1 if n > 0 else 0)


# entry: operands 0 7
# output: {7, 0, False, True, False, True}
# entry: operands 3 7
# output: {3, 7, True, False, True, False}
def operands(n, m):
    k = n or m
    j = n and m
    return k, j, n in (1, 3), n not in (1, 3), n > 1 and m > 1, not n


# entry: same_shapes [1.0,2] [3.0,4]
# output: 1
# entry: same_shapes [1.0,2] [3.0,4,5]
# output: 0
def same_shapes(a, b):
    if a.shape == b.shape:
        return 1
    return 0


# entry: fresh [1,2,3]
# output: {[10, 2, 3], [1, 2, 3], [1, 20, 3]}
def fresh(a):
    b = +a
    b[0] = 10
    c = np.floor(a)
    d = np.conj(a)
    d[1] = 20
    return b, c, d


# entry: choice [1.0,2] [3.0,4] 1
# output: 3.000000
# entry: choice [1.0,2] [3.0,4] 0
# output: 7.000000
def choice(a, b, n):
    c = a if n > 0 else b
    return c.sum(), a, b


# entry: counted [3.0,-1,2,-5]
# output: {2, 3.000000, 0}
def counted(a):
    k = 0
    best = -np.inf
    where = -1
    for i in range(a.size):
        if a[i] > best:
            best = a[i]
            where = i
        if a[i] < 0:
            k += 1
    return k, best, where


# entry: refined 1.0 1e-9
# output: {1.414214, 1.414214}
def refined(x, tol):
    error = 1.0
    steps = 0
    while error > tol and steps < 100:
        y = 0.5 * (x + 2.0 / x)
        error = abs(y - x)
        x = y
        steps += 1
    return x, y


# entry: outside [1.0,2] 2
# fails: out-of-bounds
def outside(a, i):
    return a[i]


# entry: unequal [1.0,2] [1.0,2,3]
# fails: broadcast-mismatch
def unequal(a, b):
    return a + b


# entry: nothing [1.0,2]
# fails: empty-reduction
def nothing(a):
    return a[a > 5].max()


# entry: asserted 3
# fails: assertion-failed
def asserted(n):
    assert n < 3, "too many"
    return n


# entry: divided 1 0
# fails: division-by-zero
def divided(a, b):
    return a // b


# entry: stepped 5 0
# fails: zero-step
def stepped(n, step):
    s = 0
    for i in range(0, n, step):
        s += i
    return s


# entry: relax [1.0,5,2,8] 9 100.0
# output: {[1.000000, 3.250000, 4.250000, 8.000000], 0}
# entry: relax [1.0,5,2,8] 3 0.0
# output: {[1.000000, 2.953125, 5.203125, 8.000000], 3}
def relax(rod, steps, limit):
    for k in range(steps):
        new = rod.copy()
        new[1:-1] += 0.25 * np.diff(rod, 2)
        if np.max(np.abs(new - rod)) < limit:
            return new, k
        rod = new
    return rod, steps


# entry: descend [1.0,2] 0.5 20
# output: {[0.750000, 1.500000], 20}
# entry: descend [1.0,2] 0.5 2
# output: {[0.750000, 1.500000], 2}
def descend(b, tolerance, limit):
    x = np.zeros_like(b)
    r = b.copy()
    while limit > 0:
        for _ in range(2):
            x += 0.5 * r
            r -= 0.5 * r
            if r @ r < tolerance:
                return x, limit
        limit -= 1
    return x * 0, limit


# entry: perhaps [1.0,2] 1
# output: {[3.000000, 5.000000], [4.000000, 7.000000]}
# entry: perhaps [1.0,2] 0
# output: {[2.000000, 3.000000], [2.000000, 3.000000]}
def perhaps(a, cond):
    if cond:
        b = a * 2
        c = b + 1
    a = a + 1
    if cond:
        a += b
        return c, a
    return a, a


# entry: unrolled [[1,2,3],[4,5,6],[7,8,9]]
# output: {3, [[7, 9], [13, 15]], [[44, 43, 42], [41, 40, 39], [38, 37, 36]], 9, 7, 6}
def unrolled(a):
    i = 7
    p = [a[i:i + 2, j:j + 2] for i in range(2) for j in range(i, 2)]
    s = sum(np.roll(np.roll(a, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    t = [i * k for i in range(4) if i % 2 == 1 for k in (2, 3) if i > 1 if k > 2]
    return len(p), p[1] + p[2], s, t, i, max(i * j for i, j in ((1, 5), (2, 3)))


# entry: taken_beyond [1,2,3]
# fails: out-of-bounds
def taken_beyond(a):
    return a[np.array([k for k in range(5) if k > 3])]


# entry: starred [1,2,3]
# output: {0, [3, 2], 5, 0, 3}
def starred(a):
    first, *rest, last = (0, 2, 1, 5)
    *none, one, two = [1, 2]
    return first, a[rest], last, len(none), one + two


# Arrays in lists and dictionaries are changed themselves.
# entry: in_containers [1.0,2.0]
# output: {[19.000000, 39.000000], [10.000000, 48.000000], [-9.000000, 9.000000]}
def in_containers(a):
    items = [a, a * 2]
    items[0] += 1
    b = items[1]
    items[1] *= 10
    items[-2][0] -= 5
    table = {"x": a, "y": b}
    table["x"] *= 3
    table["y"] -= 1
    return b, items[1] + table["x"]
