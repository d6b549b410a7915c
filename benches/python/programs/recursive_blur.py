"""A recursive filter of second order, forth and back, down the columns and along the rows."""
import numpy as np


def along_first(x, a, b1, b2):
    y = np.empty_like(x)
    y[0] = a * x[0]
    y[1] = a * x[1] + b1 * y[0]
    for i in range(2, len(x)):
        y[i] = a * x[i] + b1 * y[i - 1] + b2 * y[i - 2]
    z = np.empty_like(x)
    z[-1] = a * y[-1]
    z[-2] = a * y[-2] + b1 * z[-1]
    for i in range(len(x) - 3, -1, -1):
        z[i] = a * y[i] + b1 * z[i + 1] + b2 * z[i + 2]
    return z


def kernel(image, sigma):
    q = np.exp(-1.0 / sigma)
    a, b1, b2 = (1 - q) ** 2, 2 * q, -q * q
    return along_first(along_first(image, a, b1, b2).T, a, b1, b2).T


def arguments(n, rng):
    return rng.random((n, n + 9)), 3.0


SIZES = {"test": 14, "bench": 2000}
