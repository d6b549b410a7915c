"""Columns in blocks, then rows, each solved by one thread."""
import numpy as np
from numba import njit, prange

BLOCK = 64


@njit(fastmath=True, error_model="numpy")
def coefficients(n, lam):
    c = np.empty(n)
    c[0] = 0.0
    for i in range(1, n):
        c[i] = lam / (1 + 2 * lam - lam * c[i - 1])
    return c


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(u, steps, lam):
    n, m = u.shape
    cx = coefficients(n, lam)
    cy = coefficients(m, lam)
    half = u.copy()
    for _ in range(steps):
        for block in prange((m + BLOCK - 1) // BLOCK):
            low = max(1, block * BLOCK)
            high = min(m - 1, (block + 1) * BLOCK)
            for i in range(1, n - 1):
                for j in range(low, high):
                    rhs = u[i, j] + lam * (u[i, j - 1] - 2 * u[i, j] + u[i, j + 1])
                    half[i, j] = (rhs + lam * half[i - 1, j]) * cx[i] / lam
            for i in range(n - 2, 0, -1):
                for j in range(low, high):
                    half[i, j] += cx[i] * half[i + 1, j]
        for i in prange(1, n - 1):
            for j in range(1, m - 1):
                rhs = half[i, j] + lam * (half[i - 1, j] - 2 * half[i, j] + half[i + 1, j])
                u[i, j] = (rhs + lam * u[i, j - 1]) * cy[j] / lam
            for j in range(m - 2, 0, -1):
                u[i, j] += cy[j] * u[i, j + 1]
    return u.mean()
