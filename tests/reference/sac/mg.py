"""Multigrid on a cube: stencils over all 27 neighbours one by one, grids as dictionaries."""

from itertools import product
from math import sqrt

OFFSETS = list(product((-1, 0, 1), repeat=3))


def stencil(weights, u, n):
    terms = [(d, weights[sum(map(abs, d))]) for d in OFFSETS if weights[sum(map(abs, d))] != 0]
    return {
        (i, j, k): sum(w * u[(i + a) % n, (j + b) % n, (k + c) % n] for (a, b, c), w in terms) for i, j, k in u
    }


def residual(v, u, n):
    au = stencil([-8 / 3, 0, 1 / 6, 1 / 12], u, n)
    return {p: v[p] - au[p] for p in v}


def vcycle(r, n):
    s = [-3 / 8, 1 / 32, -1 / 64, 0]
    if n <= 2:
        return stencil(s, r, n)
    half = n // 2
    means = stencil([1 / 2, 1 / 4, 1 / 8, 1 / 16], r, n)
    coarse = vcycle({p: means[tuple(2 * i + 1 for i in p)] for p in product(range(half), repeat=3)}, half)
    spread = {p: 0.0 for p in r}
    for p, x in coarse.items():
        spread[tuple(2 * i + 1 for i in p)] = x
    z = stencil([1, 1 / 2, 1 / 4, 1 / 8], spread, n)
    correction = stencil(s, residual(r, z, n), n)
    return {p: z[p] + correction[p] for p in z}


def norm(r):
    return sqrt(sum(x * x for x in r.values()) / len(r))


n = 16
v = {p: 0.0 for p in product(range(n), repeat=3)}
for c in range(20):
    v[(7 * c + 3) % n, (c * c + 5) % n, (3 * c + c // 4) % n] = 1.0 if c < 10 else -1.0
u = {p: 0.0 for p in v}
for cycles in range(5):
    r = residual(v, u, n)
    print(f"{cycles} {norm(r):.8e}")
    if cycles < 4:
        z = vcycle(r, n)
        u = {p: u[p] + z[p] for p in u}
print(f"{norm(u):.8e}")
