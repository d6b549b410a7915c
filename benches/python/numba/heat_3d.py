"""Planes in parallel."""
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def step(u, out):
    n, m, p = u.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            for k in range(1, p - 1):
                out[i, j, k] = (0.125 * (u[i + 1, j, k] + u[i - 1, j, k] + u[i, j + 1, k] + u[i, j - 1, k]
                                         + u[i, j, k + 1] + u[i, j, k - 1]) + 0.25 * u[i, j, k])


@njit
def kernel(tsteps, a, b):
    for _ in range(1, tsteps):
        step(a, b)
        step(b, a)
