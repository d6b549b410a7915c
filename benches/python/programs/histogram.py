"""Histograms with weights, and equalisation of an image by its histogram."""
import numpy as np


def kernel(image, values, weights):
    counts, edges = np.histogram(values, bins=16, range=(0.0, 1.0), weights=weights)
    hist = np.zeros(256, dtype=np.int64)
    for p in image.ravel():
        hist[p] += 1
    cdf = np.cumsum(hist)
    table = np.round((cdf - cdf.min()) / (image.size - cdf.min()) * 255).astype(np.uint8)
    return counts, edges, table[image]


def arguments(n, rng):
    return rng.integers(0, 200, (n, n)).astype(np.uint8), rng.random(n * n), rng.random(n * n)


SIZES = {"test": 16, "bench": 1200}
