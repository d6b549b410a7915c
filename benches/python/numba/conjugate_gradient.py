"""Three loops for a step; directions lie in an array with a border of zeros."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def apply(p, q):
    n, m = q.shape
    total = 0.0
    for i in prange(n):
        for j in range(m):
            v = 4.0 * p[i + 1, j + 1] - p[i, j + 1] - p[i + 2, j + 1] - p[i + 1, j] - p[i + 1, j + 2]
            q[i, j] = v
            total += v * p[i + 1, j + 1]
    return total


@njit(parallel=True, fastmath=True)
def move(x, r, p, q, alpha):
    n, m = q.shape
    total = 0.0
    for i in prange(n):
        for j in range(m):
            x[i, j] += alpha * p[i + 1, j + 1]
            r[i, j] -= alpha * q[i, j]
            total += r[i, j] * r[i, j]
    return total


@njit(parallel=True, fastmath=True)
def turn(p, r, beta):
    n, m = r.shape
    for i in prange(n):
        for j in range(m):
            p[i + 1, j + 1] = r[i, j] + beta * p[i + 1, j + 1]


@njit(fastmath=True)
def kernel(b, tolerance, limit):
    n, m = b.shape
    x = np.zeros_like(b)
    r = b.copy()
    p = np.zeros((n + 2, m + 2))
    p[1:-1, 1:-1] = r
    q = np.empty_like(b)
    rs = np.sum(r * r)
    for k in range(limit):
        alpha = rs / apply(p, q)
        new = move(x, r, p, q, alpha)
        if np.sqrt(new) < tolerance:
            return x, k + 1
        turn(p, r, new / rs)
        rs = new
    return x, limit
