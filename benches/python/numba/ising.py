"""One colour at a time by rows, in a second array so that odd sizes are right, too."""
import math

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def flip(spins, out, numbers, beta, colour):
    n, m = spins.shape
    for i in prange(n):
        above = i - 1 if i > 0 else n - 1
        below = i + 1 if i < n - 1 else 0
        for j in range(m):
            s = spins[i, j]
            if (i + j) % 2 == colour:
                left = j - 1 if j > 0 else m - 1
                right = j + 1 if j < m - 1 else 0
                cost = 2 * s * (spins[above, j] + spins[below, j] + spins[i, left] + spins[i, right])
                if numbers[i, j] < math.exp(-beta * cost):
                    s = -s
            out[i, j] = s


@njit(parallel=True)
def energy(spins):
    n, m = spins.shape
    total = 0
    for i in prange(n):
        above = i - 1 if i > 0 else n - 1
        for j in range(m):
            left = j - 1 if j > 0 else m - 1
            total += spins[i, j] * (spins[above, j] + spins[i, left])
    return -total / spins.size


@njit
def kernel(spins, numbers, beta):
    energies = np.empty(len(numbers))
    spins = spins.copy()
    other = np.empty_like(spins)
    for t in range(len(numbers)):
        flip(spins, other, numbers[t], beta, 0)
        flip(other, spins, numbers[t], beta, 1)
        energies[t] = energy(spins)
    return spins, energies
