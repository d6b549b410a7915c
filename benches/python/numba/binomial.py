"""One loop for a level of the tree, in place. Levels are too short for threads."""
import numpy as np
from numba import njit


@njit(fastmath=True)
def kernel(spot, strike, rate, vol, years, steps):
    dt = years / steps
    up = np.exp(vol * np.sqrt(dt))
    down = 1 / up
    p = (np.exp(rate * dt) - down) / (up - down)
    discount = np.exp(-rate * dt)
    prices = spot * up ** np.arange(steps, -steps - 1, -2)
    value = np.maximum(strike - prices, 0.0)
    for i in range(steps - 1, -1, -1):
        for j in range(i + 1):
            prices[j] *= down
            value[j] = max(discount * (p * value[j] + (1 - p) * value[j + 1]), strike - prices[j])
    return value[0]
