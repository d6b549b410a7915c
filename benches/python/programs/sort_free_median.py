"""A median filter of nine by a network of minima and maxima."""
import numpy as np


def order(p, i, j):
    lo = np.minimum(p[i], p[j])
    hi = np.maximum(p[i], p[j])
    p[i] = lo
    p[j] = hi


def kernel(image):
    h, w = image.shape
    p = [image[i:h - 2 + i, j:w - 2 + j] for i in range(3) for j in range(3)]
    for i, j in ((1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3), (5, 8), (4, 7), (3, 6),
                 (1, 4), (2, 5), (4, 7), (4, 2), (6, 4), (4, 2)):
        order(p, i, j)
    return p[4]


def arguments(n, rng):
    return (rng.integers(0, 256, (n, n)).astype(np.uint8),)


SIZES = {"test": 12, "bench": 2500}
