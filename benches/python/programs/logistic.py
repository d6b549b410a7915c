"""Logistic regression by gradient descent."""
import numpy as np


def kernel(x, y, w, rate, steps):
    losses = np.zeros(steps)
    for i in range(steps):
        p = 1 / (1 + np.exp(-(x @ w)))
        losses[i] = -np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12))
        w = w - rate * (x.T @ (p - y)) / len(y)
    return w, losses


def arguments(n, rng):
    x = rng.standard_normal((n, 10))
    return x, (x[:, 0] > 0).astype(float), np.zeros(10), 0.5, 12


SIZES = {"test": 20, "bench": 150000}
