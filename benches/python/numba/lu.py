"""A row of the upper factor at a time; the rows below in parallel."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(a, b):
    n = a.shape[0]
    for k in range(n - 1):
        for i in prange(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k] = factor
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= a[i, j] * y[j]
        y[i] = s
    for i in range(n - 1, -1, -1):
        s = y[i]
        for j in range(i + 1, n):
            s -= a[i, j] * x[j]
        x[i] = s / a[i, i]
    return x, y
