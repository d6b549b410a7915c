"""Loops without copies of slices; steps are too short for threads."""
import numpy as np
from numba import njit


@njit(fastmath=True)
def kernel(r):
    n = len(r) - 1
    a = np.zeros(n + 1)
    new = np.zeros(n + 1)
    a[0] = new[0] = 1.0
    error = r[0]
    for k in range(1, n + 1):
        acc = r[k]
        for j in range(1, k):
            acc += a[j] * r[k - j]
        reflection = -acc / error
        for j in range(1, k):
            new[j] = a[j] + reflection * a[k - j]
        new[k] = reflection
        a, new = new, a
        error *= 1 - reflection * reflection
    return a, error
