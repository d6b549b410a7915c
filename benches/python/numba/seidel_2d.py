"""Old neighbours are summed up into a buffer first; only the left neighbour is left for the recurrence."""
import numpy as np
from numba import njit


@njit(fastmath=True)
def kernel(tsteps, n, a):
    t = np.empty(n)
    for _ in range(tsteps - 1):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                t[j] = (a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j] + a[i, j + 1]
                        + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]) / 9.0
            left = a[i, 0]
            for j in range(1, n - 1):
                left = t[j] + left * (1 / 9.0)
                a[i, j] = left
