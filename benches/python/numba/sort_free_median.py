"""The network on nine numbers of a pixel, rows in parallel."""
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(image):
    h, w = image.shape
    out = np.empty((h - 2, w - 2), image.dtype)
    for i in prange(h - 2):
        for j in range(w - 2):
            a, b, c = image[i, j], image[i, j + 1], image[i, j + 2]
            d, e, f = image[i + 1, j], image[i + 1, j + 1], image[i + 1, j + 2]
            g, k, l = image[i + 2, j], image[i + 2, j + 1], image[i + 2, j + 2]
            b, c = min(b, c), max(b, c)
            e, f = min(e, f), max(e, f)
            k, l = min(k, l), max(k, l)
            a, b = min(a, b), max(a, b)
            d, e = min(d, e), max(d, e)
            g, k = min(g, k), max(g, k)
            b, c = min(b, c), max(b, c)
            e, f = min(e, f), max(e, f)
            k, l = min(k, l), max(k, l)
            d = max(a, d)
            f = min(f, l)
            e, k = min(e, k), max(e, k)
            g = max(d, g)
            e = max(b, e)
            c = min(c, f)
            e = min(e, k)
            out[i, j] = min(max(g, min(e, c)), max(e, c))
    return out
