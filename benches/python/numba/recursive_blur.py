"""Blocks of columns in parallel, then rows."""
import numpy as np
from numba import njit, prange

BLOCK = 64


@njit(parallel=True, fastmath=True)
def kernel(image, sigma):
    q = np.exp(-1.0 / sigma)
    a, b1, b2 = (1 - q) ** 2, 2 * q, -q * q
    n, m = image.shape
    y = np.empty_like(image)
    for block in prange((m + BLOCK - 1) // BLOCK):
        low = block * BLOCK
        high = min(m, low + BLOCK)
        for j in range(low, high):
            y[0, j] = a * image[0, j]
            y[1, j] = a * image[1, j] + b1 * y[0, j]
        for i in range(2, n):
            for j in range(low, high):
                y[i, j] = a * image[i, j] + b1 * y[i - 1, j] + b2 * y[i - 2, j]
        for j in range(low, high):
            y[n - 1, j] = a * y[n - 1, j]
            y[n - 2, j] = a * y[n - 2, j] + b1 * y[n - 1, j]
        for i in range(n - 3, -1, -1):
            for j in range(low, high):
                y[i, j] = a * y[i, j] + b1 * y[i + 1, j] + b2 * y[i + 2, j]
    for i in prange(n):
        row = y[i]
        row[0] = a * row[0]
        row[1] = a * row[1] + b1 * row[0]
        for j in range(2, m):
            row[j] = a * row[j] + b1 * row[j - 1] + b2 * row[j - 2]
        row[m - 1] = a * row[m - 1]
        row[m - 2] = a * row[m - 2] + b1 * row[m - 1]
        for j in range(m - 3, -1, -1):
            row[j] = a * row[j] + b1 * row[j + 1] + b2 * row[j + 2]
    return y
