"""An option on the mean of a path, over given normal numbers."""
import numpy as np


def kernel(normals, spot, strike, rate, vol, years):
    paths, steps = normals.shape
    dt = years / steps
    moves = (rate - 0.5 * vol**2) * dt + vol * np.sqrt(dt) * normals
    path = spot * np.exp(np.cumsum(moves, axis=1))
    payoff = np.maximum(path.mean(axis=1) - strike, 0)
    price = np.exp(-rate * years) * payoff.mean()
    error = payoff.std() / np.sqrt(paths)
    return price, error


def arguments(n, rng):
    return rng.standard_normal((n, 64)), 100.0, 100.0, 0.02, 0.2, 1.0


SIZES = {"test": 20, "bench": 80000}
