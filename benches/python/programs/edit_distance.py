"""The distance of two words, by rows."""
import numpy as np


def kernel(a, b):
    previous = np.arange(len(b) + 1)
    for i, x in enumerate(a):
        current = np.empty_like(previous)
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if x == b[j] else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous = current
    return previous[-1]


def arguments(n, rng):
    return rng.integers(0, 4, n).astype(np.int8), rng.integers(0, 4, n + 3).astype(np.int8)


SIZES = {"test": 14, "bench": 600}
