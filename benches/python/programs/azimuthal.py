"""Means over rings around the centre of an image."""
import numpy as np


def kernel(data, radius, bins):
    rmax = radius.max()
    where = (radius / rmax * bins).astype(np.int64)
    where = np.minimum(where, bins - 1)
    total = np.bincount(where.ravel(), weights=data.ravel(), minlength=bins)
    count = np.bincount(where.ravel(), minlength=bins)
    by_ring = np.zeros(bins)
    for i in range(bins):
        r1 = rmax * i / bins
        r2 = rmax * (i + 1) / bins
        mask = np.logical_and(r1 <= radius, radius < r2)
        by_ring[i] = data[mask].sum() / max(mask.sum(), 1)
    return total / np.maximum(count, 1), by_ring


def arguments(n, rng):
    y, x = np.mgrid[0:n, 0:n]
    return rng.random((n, n)), np.hypot(x - n / 2, y - n / 2), 24


SIZES = {"test": 16, "bench": 1000}
