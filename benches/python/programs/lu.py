"""A factorisation into triangular matrices, in place, then a solution by them."""
import numpy as np


def kernel(a, b):
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1:] @ x[i + 1:]) / a[i, i]
    return x, y


def arguments(n, rng):
    return rng.random((n, n)) + n * np.eye(n), rng.random(n)


SIZES = {"test": 15, "bench": 500}
