"""Rows in parallel."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(start, column, value, x, b, steps):
    n = start.size - 1
    for _ in range(steps):
        new = np.empty(n)
        for i in prange(n):
            s = 0.0
            for k in range(start[i], start[i + 1]):
                s += value[k] * x[column[k]]
            new[i] = x[i] + 0.1 * (b[i] - s)
        x = new
    return x
