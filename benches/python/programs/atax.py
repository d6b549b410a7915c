"""A matrix, then its transpose, times a vector; and the two products of a biconjugate gradient step."""
import numpy as np


def kernel(a, x, p, r):
    return (a @ x) @ a, r @ a, a @ p


def arguments(n, rng):
    return rng.random((n, n + 7)), rng.random(n + 7), rng.random(n + 7), rng.random(n)


SIZES = {"test": 25, "bench": 4000}
