"""An integral round a contour: complex matrices, summed over points with weights."""
import numpy as np


def kernel(terms, points, weights, y):
    n = terms.shape[1]
    p0 = np.zeros((n, n), dtype=np.complex128)
    p1 = np.zeros((n, n), dtype=np.complex128)
    for z, w in zip(points, weights):
        t = np.zeros((n, n), dtype=np.complex128)
        for k in range(terms.shape[0]):
            t += np.power(z, k - 1) * terms[k]
        x = t @ y
        if np.abs(z) < 1.0:
            x = -x
        p0 += w * x
        p1 += z * w * x
    return p0, p1


def arguments(n, rng):
    m = 8
    points = 1.5 * np.exp(2j * np.pi * np.arange(m) / m)
    points[::2] *= 0.4
    return rng.random((3, n, n)) + 1j * rng.random((3, n, n)), points, rng.random(m) + 0.5j, rng.random((n, n)) + 0j


SIZES = {"test": 8, "bench": 350}
