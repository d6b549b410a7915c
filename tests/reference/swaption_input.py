"""Writes an input of examples/swaption.l0, of any size: quotes that a known model makes, rounded as markets do.

    python3 swaption_input.py --members 32 --generations 5 --points 64 --quotes 36 > large.in
"""

import argparse
from math import exp, pi, sqrt

from swaption import prices

MODEL = (0.50, 0.08, 0.010, 0.009, -0.60)
RATE = 0.04
LOWEST = (0.2, 0.02, 0.002, 0.002, -0.95)
HIGHEST = (1.0, 0.15, 0.03, 0.03, 0.5)


def hermite_functions(n, x):
    """The first n orthonormal Hermite functions at x, and the one after them."""
    functions = [pi**-0.25 * exp(-x * x / 2)]
    before = 0.0
    for k in range(n):
        functions.append(x * sqrt(2 / (k + 1)) * functions[-1] - sqrt(k / (k + 1)) * before)
        before = functions[-2]
    return functions


def gauss_hermite(n):
    """Points and weights, for up to 600 points: sign changes on a grid, then bisection."""
    reach, steps = sqrt(2 * n + 1), 40 * n
    last = lambda x: hermite_functions(n, x)[n]
    # An odd number of steps around 0, so that no root is a grid point.
    grid = [reach * (2 * i - steps - 1) / (steps + 1) for i in range(steps + 2)]
    points = []
    for low, high in zip(grid, grid[1:]):
        rising = last(low) < 0
        if rising == (last(high) < 0):
            continue
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if (last(middle) < 0) == rising else (low, middle)
        points.append((low + high) / 2)
    assert len(points) == n
    weights = [exp(-x * x) / sum(f * f for f in hermite_functions(n, x)[:n]) for x in points]
    assert abs(sum(weights) - sqrt(pi)) < 1e-12
    return points, weights


def quotes(count, points, weights):
    expiries, payments = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0), (8, 16, 24, 40, 80, 120)
    for i in range(count):
        expiry, n = expiries[i % 6] + 0.25 * (i // 36 % 4), payments[(i + i // 6) % 6]
        yield expiry, n, *(float(f"{price:.4g}") for price in prices(points, weights, RATE, MODEL, expiry, n))


def text(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(text, value)) + "]"
    if isinstance(value, tuple):
        return "{" + ", ".join(map(text, value)) + "}"
    return repr(value)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, default=8, help="models tried in each generation")
    parser.add_argument("--generations", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--points", type=int, default=12, help="Gauss-Hermite points")
    parser.add_argument("--quotes", type=int, default=4, help="swaptions")
    given = parser.parse_args()
    points, weights = gauss_hermite(given.points)
    search = (given.members, given.generations, given.seed)
    for value in search, RATE, LOWEST, HIGHEST, points, weights, list(quotes(given.quotes, points, weights)):
        print(text(value))
