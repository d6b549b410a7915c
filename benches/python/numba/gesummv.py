"""Both products in one loop over rows."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(alpha, beta, a, b, x):
    n, m = a.shape
    out = np.empty(n)
    for i in prange(n):
        s = 0.0
        t = 0.0
        for j in range(m):
            s += a[i, j] * x[j]
            t += b[i, j] * x[j]
        out[i] = alpha * s + beta * t
    return out
