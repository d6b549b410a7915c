"""Heat in a plane by half steps, implicit along rows and then along columns."""
import numpy as np


def coefficients(n, lam):
    c = np.empty(n)
    c[0] = 0.0
    for i in range(1, n):
        c[i] = lam / (1 + 2 * lam - lam * c[i - 1])
    return c


def kernel(u, steps, lam):
    n, m = u.shape
    cx = coefficients(n, lam)
    cy = coefficients(m, lam)
    half = u.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            rhs = u[i, 1:-1] + lam * (u[i, :-2] - 2 * u[i, 1:-1] + u[i, 2:])
            half[i, 1:-1] = (rhs + lam * half[i - 1, 1:-1]) * cx[i] / lam
        for i in range(n - 2, 0, -1):
            half[i, 1:-1] += cx[i] * half[i + 1, 1:-1]
        for j in range(1, m - 1):
            rhs = half[1:-1, j] + lam * (half[:-2, j] - 2 * half[1:-1, j] + half[2:, j])
            u[1:-1, j] = (rhs + lam * u[1:-1, j - 1]) * cy[j] / lam
        for j in range(m - 2, 0, -1):
            u[1:-1, j] += cy[j] * u[1:-1, j + 1]
    return u.mean()


def arguments(n, rng):
    return rng.random((n, n + 2)), 5, 0.4


SIZES = {"test": 14, "bench": 500}
