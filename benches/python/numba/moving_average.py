"""One pass for sums and largest values so far, one for windows and returns."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(x, window):
    n = x.size
    c = np.empty(n + 1)
    c[0] = 0.0
    peak = x[0]
    worst = -1.0
    at = 0
    for i in range(n):
        c[i + 1] = c[i] + x[i]
        peak = max(peak, x[i])
        drawdown = (peak - x[i]) / peak
        if drawdown > worst:
            worst = drawdown
            at = i
    mean = np.empty(n + 1 - window)
    for i in prange(mean.size):
        mean[i] = (c[i + window] - c[i]) / window
    total = 0.0
    for i in prange(n - 1):
        total += (x[i + 1] - x[i]) / x[i]
    middle = total / (n - 1)
    square = 0.0
    for i in prange(n - 1):
        square += ((x[i + 1] - x[i]) / x[i] - middle) ** 2
    return mean, worst, at, np.sqrt(square / (n - 1))
