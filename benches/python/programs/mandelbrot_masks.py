"""Points of the Mandelbrot set, all at once, with a mask of those that still move."""
import numpy as np


def kernel(xmin, xmax, ymin, ymax, xn, yn, maxiter, horizon=2.0):
    x = np.linspace(xmin, xmax, xn).astype(np.float64)
    y = np.linspace(ymin, ymax, yn).astype(np.float64)
    c = x + y[:, None] * 1j
    count = np.zeros(c.shape, dtype=np.int64)
    z = np.zeros(c.shape, dtype=np.complex128)
    for n in range(maxiter):
        moving = np.less(abs(z), horizon)
        count[moving] = n
        z[moving] = z[moving] ** 2 + c[moving]
    count[count == maxiter - 1] = 0
    return z, count


def arguments(n, rng):
    return -1.75, 0.25, -1.0, 1.0, n, n, 40


SIZES = {"test": 12, "bench": 500}
