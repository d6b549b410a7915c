"""By columns, whose rows are independent."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(a):
    n = a.shape[0]
    for j in range(n):
        s = 0.0
        for k in range(j):
            s += a[j, k] * a[j, k]
        a[j, j] = np.sqrt(a[j, j] - s)
        inverse = 1.0 / a[j, j]
        for i in prange(j + 1, n):
            t = 0.0
            for k in range(j):
                t += a[i, k] * a[j, k]
            a[i, j] = (a[i, j] - t) * inverse
