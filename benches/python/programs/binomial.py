"""American puts on a tree, from the leaves to the root."""
import numpy as np


def kernel(spot, strike, rate, vol, years, steps):
    dt = years / steps
    up = np.exp(vol * np.sqrt(dt))
    down = 1 / up
    p = (np.exp(rate * dt) - down) / (up - down)
    discount = np.exp(-rate * dt)
    prices = spot * up ** np.arange(steps, -steps - 1, -2)
    value = np.maximum(strike - prices, 0.0)
    for i in range(steps - 1, -1, -1):
        value[:i + 1] = discount * (p * value[:i + 1] + (1 - p) * value[1:i + 2])
        prices[:i + 1] = prices[:i + 1] * down
        value[:i + 1] = np.maximum(value[:i + 1], strike - prices[:i + 1])
    return value[0]


def arguments(n, rng):
    return 100.0, 105.0, 0.03, 0.25, 1.0, n


SIZES = {"test": 30, "bench": 4000}
