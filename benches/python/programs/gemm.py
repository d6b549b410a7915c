"""A general matrix product that updates its result."""
import numpy as np


def kernel(alpha, beta, c, a, b):
    c[:] = alpha * a @ b + beta * c


def arguments(n, rng):
    return 1.5, 1.2, rng.random((n, n + 10)), rng.random((n, n + 20)), rng.random((n + 20, n + 10))


SIZES = {"test": 20, "bench": 1200}
