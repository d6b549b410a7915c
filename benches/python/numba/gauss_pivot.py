"""Rows below the pivot in parallel."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(a, b):
    a = a.copy()
    b = b.copy()
    n = b.size
    for k in range(n - 1):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            b[k], b[p] = b[p], b[k]
        for i in prange(k + 1, n):
            m = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= m * a[k, j]
            b[i] -= m * b[k]
    x = np.empty(n)
    for k in range(n - 1, -1, -1):
        s = b[k]
        for j in range(k + 1, n):
            s -= a[k, j] * x[j]
        x[k] = s / a[k, k]
    return x
