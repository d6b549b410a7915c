"""Means and deviations in loops, the product by BLAS."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(data):
    n, m = data.shape
    mean = data.sum(axis=0) / n
    centred = np.empty_like(data)
    for i in prange(n):
        for j in range(m):
            centred[i, j] = data[i, j] - mean[j]
    cov = centred.T @ centred
    deviation = np.empty(m)
    for j in range(m):
        s = np.sqrt(cov[j, j] / (n - 1))
        deviation[j] = 1.0 if s < 1e-9 else s
    corr = np.empty((m, m))
    for i in prange(m):
        for j in range(m):
            cov[i, j] /= n - 1
            corr[i, j] = cov[i, j] / (deviation[i] * deviation[j])
        corr[i, i] = 1.0
    return cov, corr
