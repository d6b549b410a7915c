"""Spins on a lattice, updated by the colours of a chessboard with given random numbers."""
import numpy as np


def kernel(spins, numbers, beta):
    ii, jj = np.indices(spins.shape)
    energies = np.empty(len(numbers))
    for t, r in enumerate(numbers):
        for colour in (0, 1):
            neighbours = np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
            cost = 2 * spins * neighbours
            flip = ((ii + jj) % 2 == colour) & (r < np.exp(-beta * cost))
            spins = np.where(flip, -spins, spins)
        energies[t] = -np.mean(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1)))
    return spins, energies


def arguments(n, rng):
    return rng.choice([-1, 1], (n, n)), rng.random((5, n, n)), 0.44


SIZES = {"test": 10, "bench": 500}
