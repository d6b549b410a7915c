"""One pass over the matrix for both products; each block of rows has sums of its own."""
import numpy as np
from numba import get_num_threads, njit, prange


@njit(parallel=True, fastmath=True)
def kernel(x1, x2, y1, y2, a):
    n, m = a.shape
    blocks = get_num_threads()
    parts = np.zeros((blocks, m))
    for block in prange(blocks):
        part = parts[block]
        for i in range(block * n // blocks, (block + 1) * n // blocks):
            s = 0.0
            y = y2[i]
            for j in range(m):
                s += a[i, j] * y1[j]
                part[j] += y * a[i, j]
            x1[i] += s
    x2 += parts.sum(axis=0)
