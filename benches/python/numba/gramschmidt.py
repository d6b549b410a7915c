"""On the transposed matrix, whose rows are contiguous."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(a):
    m, n = a.shape
    rows = a.T.copy()
    q = np.zeros((n, m))
    r = np.zeros((n, n))
    for k in range(n):
        r[k, k] = np.sqrt(np.dot(rows[k], rows[k]))
        for i in range(m):
            q[k, i] = rows[k, i] / r[k, k]
        for j in prange(k + 1, n):
            s = 0.0
            for i in range(m):
                s += q[k, i] * rows[j, i]
            r[k, j] = s
            for i in range(m):
                rows[j, i] -= q[k, i] * s
    a[:] = rows.T
    return q.T, r
