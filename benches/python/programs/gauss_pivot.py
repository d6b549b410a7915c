"""Gaussian elimination with row exchanges, as one writes it by hand."""
import numpy as np


def kernel(a, b):
    a = a.copy()
    b = b.copy()
    n = len(b)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[k], b[p] = b[p], b[k]
        m = a[k + 1:, k] / a[k, k]
        a[k + 1:, k:] -= np.outer(m, a[k, k:])
        b[k + 1:] -= m * b[k]
    x = np.empty(n)
    for k in reversed(range(n)):
        x[k] = (b[k] - np.sum(a[k, k + 1:] * x[k + 1:])) / a[k, k]
    return x


def arguments(n, rng):
    return rng.random((n, n)), rng.random(n)


SIZES = {"test": 15, "bench": 500}
