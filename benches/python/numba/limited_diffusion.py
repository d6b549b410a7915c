"""A level at a time, with its Laplacian in a buffer."""
import numpy as np
from numba import njit, prange


@njit(fastmath=True)
def flux(l1, l0, f1, f0):
    d = l1 - l0
    return 0.0 if d * (f1 - f0) > 0 else d


@njit(parallel=True, fastmath=True)
def kernel(f, out, k):
    levels, n, m = out.shape
    for z in prange(levels):
        g = f[z]
        lap = np.empty((n + 2, m + 2))
        for i in range(n + 2):
            for j in range(m + 2):
                lap[i, j] = g[i, j + 1] + g[i + 2, j + 1] + g[i + 1, j] + g[i + 1, j + 2] - 4 * g[i + 1, j + 1]
        for i in range(n):
            for j in range(m):
                here, f_here = lap[i + 1, j + 1], g[i + 2, j + 2]
                right = flux(lap[i + 1, j + 2], here, g[i + 2, j + 3], f_here)
                left = flux(here, lap[i + 1, j], f_here, g[i + 2, j + 1])
                below = flux(lap[i + 2, j + 1], here, g[i + 3, j + 2], f_here)
                above = flux(here, lap[i, j + 1], f_here, g[i + 1, j + 2])
                out[z, i, j] = f_here - k[z, i, j] * (right - left + below - above)
