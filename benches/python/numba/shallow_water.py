"""Both velocities in one loop, heights in the next."""
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(h, u, v, steps, g=9.81, dt=0.01, dx=1.0):
    n, m = h.shape
    c = g * dt / dx
    d = dt / dx * 10.0
    for t in range(steps):
        for i in prange(n):
            for j in range(1, m):
                u[i, j] -= c * (h[i, j] - h[i, j - 1])
            if i > 0:
                for j in range(m):
                    v[i, j] -= c * (h[i, j] - h[i - 1, j])
        for i in prange(n):
            for j in range(m):
                h[i, j] -= d * (u[i, j + 1] - u[i, j] + v[i + 1, j] - v[i, j])
        if t % 5 == 0:
            for i in prange(n + 1):
                for j in range(m):
                    v[i, j] *= 0.999
                if i < n:
                    for j in range(m + 1):
                        u[i, j] *= 0.999
    heights = 0.0
    squares = 0.0
    for i in prange(n + 1):
        for j in range(m):
            squares += v[i, j] * v[i, j]
        if i < n:
            for j in range(m):
                heights += h[i, j]
            for j in range(m + 1):
                squares += u[i, j] * u[i, j]
    return heights, squares
