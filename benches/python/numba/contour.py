"""The sums by loops, the products by BLAS."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(terms, points, weights, y):
    n = terms.shape[1]
    p0 = np.zeros((n, n), np.complex128)
    p1 = np.zeros((n, n), np.complex128)
    t = np.empty((n, n), np.complex128)
    for at in range(points.size):
        z = points[at]
        for i in prange(n):
            for j in range(n):
                t[i, j] = 0
            factor = 1 / z
            for k in range(terms.shape[0]):
                for j in range(n):
                    t[i, j] += factor * terms[k, i, j]
                factor *= z
        x = t @ y
        w = -weights[at] if abs(z) < 1.0 else weights[at]
        for i in prange(n):
            for j in range(n):
                p0[i, j] += w * x[i, j]
                p1[i, j] += z * w * x[i, j]
    return p0, p1
