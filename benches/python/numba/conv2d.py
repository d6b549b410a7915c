"""Convolution, rectifier and pooling in one loop over rows of the result."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(x, w, b):
    k, _, channels, filters = w.shape
    n, height, width, _ = x.shape
    h2 = (height - k + 1) // 2
    w2 = (width - k + 1) // 2
    out = np.zeros((n, h2, w2, filters), x.dtype)
    for at in prange(n * h2):
        image = at // h2
        i = at % h2
        acc = np.empty(filters, x.dtype)
        for j in range(w2):
            best = out[image, i, j]
            for di in range(2):
                for dj in range(2):
                    for f in range(filters):
                        acc[f] = b[f]
                    for ki in range(k):
                        for kj in range(k):
                            for c in range(channels):
                                v = x[image, 2 * i + di + ki, 2 * j + dj + kj, c]
                                for f in range(filters):
                                    acc[f] += v * w[ki, kj, c, f]
                    for f in range(filters):
                        best[f] = max(best[f], acc[f])
    return out
