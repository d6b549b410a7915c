"""Electric and magnetic fields on staggered grids."""
import numpy as np


def kernel(tmax, ex, ey, hz, fict):
    for t in range(tmax):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def arguments(n, rng):
    t = max(n // 40, 5)
    return t, rng.random((n, n + 4)), rng.random((n, n + 4)), rng.random((n, n + 4)), rng.random(t)


SIZES = {"test": 14, "bench": 1000}
