"""One path after the other, without arrays of paths."""
import math

import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(normals, spot, strike, rate, vol, years):
    paths, steps = normals.shape
    dt = years / steps
    drift = (rate - 0.5 * vol**2) * dt
    spread = vol * np.sqrt(dt)
    payoff = np.empty(paths)
    for p in prange(paths):
        at = 0.0
        total = 0.0
        for k in range(steps):
            at += drift + spread * normals[p, k]
            total += math.exp(at)
        payoff[p] = max(spot * total / steps - strike, 0.0)
    price = np.exp(-rate * years) * payoff.mean()
    return price, payoff.std() / np.sqrt(paths)
