"""Gradients in one loop, suppression in the next."""
import math

import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(g, low, high):
    n, m = g.shape
    gx = np.empty((n - 2, m - 2))
    gy = np.empty((n - 2, m - 2))
    strength = np.empty((n - 2, m - 2))
    for i in prange(n - 2):
        for j in range(m - 2):
            x = (g[i, j + 2] + 2 * g[i + 1, j + 2] + g[i + 2, j + 2]) - (g[i, j] + 2 * g[i + 1, j] + g[i + 2, j])
            y = (g[i + 2, j] + 2 * g[i + 2, j + 1] + g[i + 2, j + 2]) - (g[i, j] + 2 * g[i, j + 1] + g[i, j + 2])
            gx[i, j] = x
            gy[i, j] = y
            strength[i, j] = math.sqrt(x * x + y * y)
    out = np.zeros((n - 4, m - 4), np.uint8)
    for i in prange(1, n - 3):
        for j in range(1, m - 3):
            s = strength[i, j]
            if s > low:
                a = math.degrees(math.atan2(gy[i, j], gx[i, j])) % 180
                if a < 22.5 or a >= 157.5:
                    keep = s >= strength[i, j + 1] and s >= strength[i, j - 1]
                elif a >= 67.5 and a < 112.5:
                    keep = s >= strength[i + 1, j] and s >= strength[i - 1, j]
                else:
                    keep = s >= strength[i + 1, j + 1] and s >= strength[i - 1, j - 1]
                if keep:
                    out[i - 1, j - 1] = 255 if s > high else 128
    return out
