"""A sparse matrix, stored by rows, times a vector; and Jacobi steps with it."""
import numpy as np


def product(start, column, value, x):
    y = np.empty(len(start) - 1, value.dtype)
    for i in range(len(start) - 1):
        columns = column[start[i]:start[i + 1]]
        values = value[start[i]:start[i + 1]]
        y[i] = values @ x[columns]
    return y


def kernel(start, column, value, x, b, steps):
    for _ in range(steps):
        x = x + 0.1 * (b - product(start, column, value, x))
    return x


def arguments(n, rng):
    counts = rng.integers(1, 6, n)
    start = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    column = rng.integers(0, n, start[-1]).astype(np.int64)
    return start, column, rng.random(start[-1]) / 3, rng.random(n), rng.random(n), 4


SIZES = {"test": 20, "bench": 40000}
