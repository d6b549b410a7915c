"""Ranks are divided by the numbers of links before the product, so that the matrix is not built anew."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(links, damping, tolerance):
    n = links.shape[0]
    weight = np.empty(n)
    for i in prange(n):
        s = 0.0
        for j in range(n):
            s += links[i, j]
        weight[i] = damping / (1.0 if s == 0 else s)
    rank = np.full(n, 1.0 / n)
    step = 0
    for step in range(100):
        new = (rank * weight) @ links
        change = 0.0
        for i in range(n):
            new[i] += (1 - damping) / n
            change += abs(new[i] - rank[i])
        if change < tolerance:
            break
        rank = new
    return rank, step
