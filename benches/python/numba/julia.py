"""Rows in parallel, in real numbers."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, error_model="numpy")
def kernel(width, height, c, limit):
    out = np.empty((height, width), np.uint8)
    for i in prange(height):
        for j in range(width):
            x = -1.6 + 3.2 * j / width
            y = -1.2 + 2.4 * i / height
            steps = 0
            while x * x + y * y <= 4.0 and steps < limit:
                x, y = x * x - y * y + c.real, x * y + y * x + c.imag
                steps += 1
            out[i, j] = steps
    return out
