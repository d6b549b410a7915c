"""The whole symmetric matrix, then products by BLAS."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(lower, b, out):
    n = lower.shape[0]
    whole = np.empty((n, n))
    for i in prange(n):
        for j in range(n):
            whole[i, j] = lower[i, j] if j <= i else lower[j, i]
    out += whole @ b
    gram = b @ b.T
    for i in prange(n):
        for j in range(i + 1, n):
            gram[i, j] = 0.0
    return gram
