"""Levinson's recursion: prediction coefficients from autocorrelations."""
import numpy as np


def kernel(r):
    n = len(r) - 1
    a = np.zeros(n + 1)
    a[0] = 1.0
    error = r[0]
    for k in range(1, n + 1):
        acc = r[k] + np.dot(a[1:k], r[k - 1:0:-1])
        reflection = -acc / error
        previous = a[1:k].copy()
        a[1:k] += reflection * previous[::-1]
        a[k] = reflection
        error *= 1 - reflection * reflection
    return a, error


def arguments(n, rng):
    return (0.9 ** np.arange(n) * (0.9 + 0.1 * rng.random(n)) + (np.arange(n) == 0),)


SIZES = {"test": 20, "bench": 6000}
