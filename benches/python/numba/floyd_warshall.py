"""Rows in parallel for each node on the way."""
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(path):
    n = path.shape[0]
    for k in range(n):
        for i in prange(n):
            through = path[i, k]
            for j in range(n):
                path[i, j] = min(path[i, j], through + path[k, j])
