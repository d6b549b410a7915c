"""The sum of two products of matrices and a vector."""
import numpy as np


def kernel(alpha, beta, a, b, x):
    return alpha * a @ x + beta * b @ x


def arguments(n, rng):
    return 1.5, 1.2, rng.random((n, n)), rng.random((n, n)), rng.random(n)


SIZES = {"test": 20, "bench": 4000}
