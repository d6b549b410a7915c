"""Two rank-one updates of a matrix, and products with it, in place."""
import numpy as np


def kernel(a, u1, v1, u2, v2, x, y):
    a += np.outer(u1, v1)
    a += u2[:, None] * v2
    x += 1.2 * (a.T @ y)
    y[:] = 1.5 * a.dot(x)


def arguments(n, rng):
    return (rng.random((n, n)), *(rng.random(n) for _ in range(6)))


SIZES = {"test": 20, "bench": 4000}
