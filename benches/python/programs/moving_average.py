"""Means over windows by cumulative sums, largest values so far, and drawdown."""
import numpy as np


def kernel(x, window):
    c = np.cumsum(np.insert(x, 0, 0.0))
    mean = (c[window:] - c[:-window]) / window
    peak = np.maximum.accumulate(x)
    drawdown = (peak - x) / peak
    returns = np.diff(x) / x[:-1]
    return mean, drawdown.max(), np.argmax(drawdown), returns.std()


def arguments(n, rng):
    return 100 + np.cumsum(rng.standard_normal(n)) * 0.1, 10


SIZES = {"test": 40, "bench": 2000000}
