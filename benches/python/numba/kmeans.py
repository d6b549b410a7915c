"""Labels and sums of each centre in one loop over blocks of points."""
import numpy as np
from numba import get_num_threads, njit, prange


@njit(parallel=True, fastmath=True)
def kernel(points, centres, steps):
    n, dims = points.shape
    k = centres.shape[0]
    labels = np.zeros(n, np.int64)
    blocks = get_num_threads()
    sums = np.empty((blocks, k, dims))
    counts = np.empty((blocks, k), np.int64)
    for _ in range(steps):
        for block in prange(blocks):
            sums[block] = 0.0
            counts[block] = 0
            for i in range(block * n // blocks, (block + 1) * n // blocks):
                least = 0
                nearest = 1e300
                for c in range(k):
                    d = 0.0
                    for x in range(dims):
                        d += (points[i, x] - centres[c, x]) ** 2
                    if d < nearest:
                        nearest = d
                        least = c
                labels[i] = least
                counts[block, least] += 1
                for x in range(dims):
                    sums[block, least, x] += points[i, x]
        for c in range(k):
            count = counts[:, c].sum()
            if count > 0:
                for x in range(dims):
                    centres[c, x] = sums[:, c, x].sum() / count
    return labels
