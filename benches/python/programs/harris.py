"""Corners of an image by the measure of Harris."""
import numpy as np


def box(x):
    return (x[:-2, :-2] + x[:-2, 1:-1] + x[:-2, 2:] + x[1:-1, :-2] + x[1:-1, 1:-1] + x[1:-1, 2:]
            + x[2:, :-2] + x[2:, 1:-1] + x[2:, 2:])


def kernel(image, k=0.04):
    ix = (image[1:-1, 2:] - image[1:-1, :-2]) / 2
    iy = (image[2:, 1:-1] - image[:-2, 1:-1]) / 2
    sxx, syy, sxy = box(ix * ix), box(iy * iy), box(ix * iy)
    det = sxx * syy - sxy**2
    trace = sxx + syy
    return det - k * trace**2


def arguments(n, rng):
    return (rng.random((n, n)).astype(np.float32),)


SIZES = {"test": 10, "bench": 3000}
