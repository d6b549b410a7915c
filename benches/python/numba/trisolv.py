"""In blocks: one is solved, then its part goes off all rows below in parallel."""
import numpy as np
from numba import njit, prange

BLOCK = 128


@njit(parallel=True, fastmath=True)
def kernel(l, x, b):
    n = x.size
    left = b.copy()
    for low in range(0, n, BLOCK):
        high = min(n, low + BLOCK)
        for i in range(low, high):
            s = left[i]
            for j in range(low, i):
                s -= l[i, j] * x[j]
            x[i] = s / l[i, i]
        for i in prange(high, n):
            s = 0.0
            for j in range(low, high):
                s += l[i, j] * x[j]
            left[i] -= s
