"""Sweeps between two arrays, rows in parallel."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def sweep(u, f, out, h):
    n, m = u.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + h * h * f[i, j])


@njit(fastmath=True, error_model="numpy")
def smooth(u, f, h, times):
    given = u
    other = u.copy()
    for _ in range(times):
        sweep(u, f, other, h)
        u, other = other, u
    if times % 2:
        given[:] = u


@njit(parallel=True, fastmath=True, error_model="numpy")
def residual(u, f, h):
    n, m = u.shape
    r = np.zeros_like(u)
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            r[i, j] = f[i, j] + (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]) / (h * h)
    return r


@njit(parallel=True, fastmath=True, error_model="numpy")
def correct(u, coarse):
    n, m = coarse.shape
    for i in prange(n):
        for j in range(m):
            u[2 * i, 2 * j] += coarse[i, j]
            if j + 1 < m:
                u[2 * i, 2 * j + 1] += 0.5 * (coarse[i, j] + coarse[i, j + 1])
            if i + 1 < n:
                u[2 * i + 1, 2 * j] += 0.5 * (coarse[i, j] + coarse[i + 1, j])
                if j + 1 < m:
                    u[2 * i + 1, 2 * j + 1] += 0.25 * (coarse[i, j] + coarse[i, j + 1] + coarse[i + 1, j] + coarse[i + 1, j + 1])


@njit(fastmath=True, error_model="numpy")
def kernel(u, f, cycles):
    h = 1.0 / (u.shape[0] - 1)
    for _ in range(cycles):
        smooth(u, f, h, 3)
        coarse_f = residual(u, f, h)[::2, ::2].copy()
        coarse = np.zeros_like(coarse_f)
        smooth(coarse, coarse_f, 2 * h, 20)
        correct(u, coarse)
        smooth(u, f, h, 3)
    return np.sqrt(np.mean(residual(u, f, h) ** 2))
