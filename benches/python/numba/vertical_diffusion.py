"""A column at a time, in buffers of its length."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(field, diffusivity, dz, dt):
    n, m, levels = field.shape
    ratio = dt / dz**2 * 0.5
    for i in prange(n):
        upper = np.empty(levels)
        work = np.empty(levels)
        for j in range(m):
            f = field[i, j]
            d = diffusivity[i, j]
            up = ratio * (d[1] + d[0])
            upper[0] = -up / (1.0 + up)
            work[0] = f[0] / (1.0 + up)
            for k in range(1, levels):
                down = up
                up = ratio * (d[k + 1] + d[k]) if k < levels - 1 else 0.0
                pivot = 1.0 / (1.0 + up + down + down * upper[k - 1])
                upper[k] = -up * pivot
                work[k] = (f[k] + down * work[k - 1]) * pivot
            value = work[levels - 1]
            f[levels - 1] = value
            for k in range(levels - 2, -1, -1):
                value = work[k] - upper[k] * value
                f[k] = value
