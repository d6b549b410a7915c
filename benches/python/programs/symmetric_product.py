"""A product with a symmetric matrix of which only the lower half is stored; and the lower half of A times its transpose."""
import numpy as np


def kernel(lower, b, out):
    n = lower.shape[0]
    for i in range(n):
        out[i] += lower[i, i] * b[i] + lower[i, :i] @ b[:i]
        out[:i] += lower[i, :i, np.newaxis] * b[i]
    gram = np.zeros((n, n))
    for i in range(n):
        gram[i, :i + 1] = b[:i + 1] @ b[i]
    return gram


def arguments(n, rng):
    return rng.random((n, n)), rng.random((n, n + 4)), rng.random((n, n + 4))


SIZES = {"test": 12, "bench": 400}
