"""Ranks by iteration until they settle."""
import numpy as np


def kernel(links, damping, tolerance):
    n = links.shape[0]
    out = links.sum(axis=1)
    out[out == 0] = 1
    transition = (links / out[:, None]).T
    rank = np.full(n, 1.0 / n)
    for step in range(100):
        new = (1 - damping) / n + damping * (transition @ rank)
        if np.abs(new - rank).sum() < tolerance:
            break
        rank = new
    return rank, step


def arguments(n, rng):
    return (rng.random((n, n)) < 0.2).astype(np.float64), 0.85, 1e-6


SIZES = {"test": 15, "bench": 2000}
