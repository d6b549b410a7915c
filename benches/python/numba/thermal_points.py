"""Two arrays that change places; the largest change is found in the same loop."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def step(rod, new, r):
    largest = 0.0
    for i in prange(1, rod.size - 1):
        change = r * (rod[i + 1] - 2 * rod[i] + rod[i - 1])
        new[i] = rod[i] + change
        largest = max(largest, abs(change))
    return largest


@njit(fastmath=True)
def kernel(rod, steps, conductivity, capacity, limit=1e-3):
    r = conductivity / capacity
    rod = rod.copy()
    new = rod.copy()
    for k in range(steps):
        largest = step(rod, new, r)
        rod, new = new, rod
        if largest < limit:
            return rod, k
    return rod, max(steps, 0)
