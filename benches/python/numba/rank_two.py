"""Updates and the first product in one pass, the second product in another."""
import numpy as np
from numba import get_num_threads, njit, prange


@njit(parallel=True, fastmath=True)
def kernel(a, u1, v1, u2, v2, x, y):
    n, m = a.shape
    blocks = get_num_threads()
    parts = np.zeros((blocks, m))
    for block in prange(blocks):
        part = parts[block]
        for i in range(block * n // blocks, (block + 1) * n // blocks):
            p, q, t = u1[i], u2[i], 1.2 * y[i]
            for j in range(m):
                v = a[i, j] + p * v1[j] + q * v2[j]
                a[i, j] = v
                part[j] += t * v
    x += parts.sum(axis=0)
    for i in prange(n):
        s = 0.0
        for j in range(m):
            s += a[i, j] * x[j]
        y[i] = 1.5 * s
