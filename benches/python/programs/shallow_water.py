"""Shallow water on a staggered grid."""
import numpy as np


def kernel(h, u, v, steps, g=9.81, dt=0.01, dx=1.0):
    for t in range(steps):
        u[:, 1:-1] -= g * dt / dx * (h[:, 1:] - h[:, :-1])
        v[1:-1, :] -= g * dt / dx * (h[1:, :] - h[:-1, :])
        h -= dt / dx * 10.0 * (u[:, 1:] - u[:, :-1] + v[1:, :] - v[:-1, :])
        if t % 5 == 0:
            u *= 0.999
            v *= 0.999
    return h.sum(), (u**2).sum() + (v**2).sum()


def arguments(n, rng):
    return 10 + rng.random((n, n)), np.zeros((n, n + 1)), np.zeros((n + 1, n)), 20


SIZES = {"test": 12, "bench": 800}
