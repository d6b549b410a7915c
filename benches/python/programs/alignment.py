"""Local alignment of two strands, with the place of the best score."""
import numpy as np


def kernel(a, b, match, mismatch, gap):
    h = np.zeros((a.size + 1, b.size + 1), dtype=np.int32)
    best = 0
    where = (0, 0)
    for i in range(1, h.shape[0]):
        for j in range(1, h.shape[1]):
            diagonal = h[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch)
            h[i, j] = max(0, diagonal, h[i - 1, j] + gap, h[i, j - 1] + gap)
            if h[i, j] > best:
                best = h[i, j]
                where = (i, j)
    return best, where[0], where[1]


def arguments(n, rng):
    return rng.integers(0, 4, n), rng.integers(0, 4, n), 3, -3, -2


SIZES = {"test": 14, "bench": 500}
