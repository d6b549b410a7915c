"""Sums down three rows, then across three columns, a row of the result at a time."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(image, k=0.04):
    n, m = image.shape
    out = np.empty((n - 4, m - 4), image.dtype)
    half = np.float32(0.5)
    factor = np.float32(k)
    for i in prange(n - 4):
        xx = np.zeros(m - 2, np.float32)
        yy = np.zeros(m - 2, np.float32)
        xy = np.zeros(m - 2, np.float32)
        for row in range(i + 1, i + 4):
            for j in range(m - 2):
                ix = (image[row, j + 2] - image[row, j]) * half
                iy = (image[row + 1, j + 1] - image[row - 1, j + 1]) * half
                xx[j] += ix * ix
                yy[j] += iy * iy
                xy[j] += ix * iy
        for j in range(m - 4):
            sxx = xx[j] + xx[j + 1] + xx[j + 2]
            syy = yy[j] + yy[j + 1] + yy[j + 2]
            sxy = xy[j] + xy[j + 1] + xy[j + 2]
            trace = sxx + syy
            out[i, j] = sxx * syy - sxy * sxy - factor * trace * trace
    return out
