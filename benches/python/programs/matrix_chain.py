"""Two products in a chain, with scaling and a summand."""
import numpy as np


def kernel(alpha, beta, a, b, c, d):
    d[:] = alpha * a @ b @ c + beta * d
    return (a @ b) @ (c @ d.T)


def arguments(n, rng):
    return 1.5, 1.2, rng.random((n, n + 3)), rng.random((n + 3, n)), rng.random((n, n + 5)), rng.random((n, n + 5))


SIZES = {"test": 14, "bench": 800}
