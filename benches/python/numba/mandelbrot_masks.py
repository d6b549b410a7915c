"""Point by point. Errors of rounding grow near the border of the set, so they are kept NumPy's."""
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def kernel(xmin, xmax, ymin, ymax, xn, yn, maxiter, horizon=2.0):
    xs = np.linspace(xmin, xmax, xn)
    ys = np.linspace(ymin, ymax, yn)
    count = np.zeros((yn, xn), np.int64)
    z = np.zeros((yn, xn), np.complex128)
    for i in prange(yn):
        for j in range(xn):
            x = 0.0
            y = 0.0
            n = 0
            while n < maxiter and x * x + y * y < horizon * horizon:
                x, y = x * x - y * y + xs[j], x * y + y * x + ys[i]
                n += 1
            z[i, j] = complex(x, y)
            count[i, j] = 0 if n == maxiter else n - 1
    return z, count
