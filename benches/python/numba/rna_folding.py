"""All intervals of a length in parallel; a transposed copy makes columns contiguous."""
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(strand):
    n = len(strand)
    best = np.zeros((n, n), np.int32)
    columns = np.zeros((n, n), np.int32)
    for length in range(1, n):
        for i in prange(n - length):
            j = i + length
            inside = best[i + 1, j - 1] if i + 1 < j - 1 else np.int32(0)
            value = inside + np.int32(1 if strand[i] + strand[j] == 3 else 0)
            for k in range(i, j):
                value = max(value, best[i, k] + columns[j, k + 1])
            best[i, j] = value
            columns[j, i] = value
    return best[0, -1], best
