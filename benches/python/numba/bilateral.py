"""One loop over the pixels with the window inside."""
import math

import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(image, radius, sigma_s, sigma_r):
    h, w = image.shape
    out = np.empty_like(image)
    size = 2 * radius + 1
    near = np.empty((size, size))
    for dy in range(size):
        for dx in range(size):
            near[dy, dx] = math.exp(-((dx - radius) ** 2 + (dy - radius) ** 2) / (2 * sigma_s**2))
    factor = -1.0 / (2 * sigma_r**2)
    for y in prange(h):
        for x in range(w):
            centre = image[y, x]
            total = 0.0
            norm = 0.0
            for dy in range(size):
                yy = (y + radius - dy) % h
                for dx in range(size):
                    xx = (x + radius - dx) % w
                    d = image[yy, xx] - centre
                    weight = near[dy, dx] * math.exp(d * d * factor)
                    total += weight * image[yy, xx]
                    norm += weight
            out[y, x] = total / norm
    return out
