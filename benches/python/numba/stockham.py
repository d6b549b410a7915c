"""Stages between two arrays; the factors are computed once."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(x):
    n = x.size
    twiddles = np.empty(max(n // 2, 1), np.complex128)
    for k in prange(twiddles.size):
        angle = -2 * np.pi * k / n
        twiddles[k] = complex(np.cos(angle), np.sin(angle))
    y = x.astype(np.complex128)
    out = np.empty_like(y)
    half = n // 2
    run = 1
    while half > 0:
        if half >= 64:
            for k in prange(half):
                w = twiddles[k * run]
                for j in range(run):
                    top = y[k * run + j]
                    bottom = y[(k + half) * run + j]
                    out[2 * k * run + j] = top + bottom
                    out[(2 * k + 1) * run + j] = (top - bottom) * w
        else:
            for k in range(half):
                w = twiddles[k * run]
                for j in prange(run):
                    top = y[k * run + j]
                    bottom = y[(k + half) * run + j]
                    out[2 * k * run + j] = top + bottom
                    out[(2 * k + 1) * run + j] = (top - bottom) * w
        y, out = out, y
        half //= 2
        run *= 2
    return y
