"""Both electric fields in one loop, the magnetic one in the next."""
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(tmax, ex, ey, hz, fict):
    n, m = hz.shape
    for t in range(tmax):
        for i in prange(n):
            if i == 0:
                for j in range(m):
                    ey[0, j] = fict[t]
            else:
                for j in range(m):
                    ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
            for j in range(1, m):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in prange(n - 1):
            for j in range(m - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
