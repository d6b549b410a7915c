"""Mesh generation in the manner of the benchmark Tomcatv: residuals, their greatest values, a tridiagonal system for each column, and the update."""

import numpy as np


def equations(x, y):
    """Residuals of both coordinates, and what stands beside and on the diagonal."""
    xa, ya = x[1:-1, 2:] - x[1:-1, :-2], y[1:-1, 2:] - y[1:-1, :-2]
    xd, yd = x[2:, 1:-1] - x[:-2, 1:-1], y[2:, 1:-1] - y[:-2, 1:-1]
    a = 0.25 * (xd * xd + yd * yd)
    b = 0.25 * (xa * xa + ya * ya)
    c = 0.125 * (xa * xd + ya * yd)
    return residual(x, a, b, c), residual(y, a, b, c), -b, b + b + a * (2.0 / 0.98)


def residual(x, a, b, c):
    across = x[1:-1, 2:] - 2.0 * x[1:-1, 1:-1] + x[1:-1, :-2]
    down = x[2:, 1:-1] - 2.0 * x[1:-1, 1:-1] + x[:-2, 1:-1]
    diagonal = x[2:, 2:] - x[2:, :-2] - x[:-2, 2:] + x[:-2, :-2]
    return a * across + b * down - c * diagonal


def solve(beside, diagonal, r, s):
    """Solves two systems for each column in place, by elimination from the first row to the last and back."""
    m = r.shape[0]
    inverse = np.empty_like(diagonal)
    inverse[0] = 1.0 / diagonal[0]
    for i in range(1, m):
        factor = beside[i] * inverse[i - 1]
        inverse[i] = 1.0 / (diagonal[i] - beside[i - 1] * factor)
        r[i] -= r[i - 1] * factor
        s[i] -= s[i - 1] * factor
    r[m - 1] *= inverse[m - 1]
    s[m - 1] *= inverse[m - 1]
    for i in range(m - 2, -1, -1):
        r[i] = (r[i] - beside[i] * r[i + 1]) * inverse[i]
        s[i] = (s[i] - beside[i] * s[i + 1]) * inverse[i]


def main(x, y, iterations):
    """The mesh after a number of iterations, and the greatest residuals before each of them."""
    x, y = x.copy(), y.copy()
    greatest_x, greatest_y = np.zeros(iterations), np.zeros(iterations)
    for t in range(iterations):
        rx, ry, beside, diagonal = equations(x, y)
        greatest_x[t], greatest_y[t] = np.abs(rx).max(), np.abs(ry).max()
        solve(beside, diagonal, rx, ry)
        x[1:-1, 1:-1] += rx
        y[1:-1, 1:-1] += ry
    return x, y, greatest_x, greatest_y
