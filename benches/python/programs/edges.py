"""Sobel's gradients, their strength and direction, and suppression of all but ridges."""
import numpy as np


def kernel(g, low, high):
    gx = (g[:-2, 2:] + 2 * g[1:-1, 2:] + g[2:, 2:]) - (g[:-2, :-2] + 2 * g[1:-1, :-2] + g[2:, :-2])
    gy = (g[2:, :-2] + 2 * g[2:, 1:-1] + g[2:, 2:]) - (g[:-2, :-2] + 2 * g[:-2, 1:-1] + g[:-2, 2:])
    strength = np.hypot(gx, gy)
    angle = np.rad2deg(np.arctan2(gy, gx)) % 180
    inner = strength[1:-1, 1:-1]
    a = angle[1:-1, 1:-1]
    horizontal = (a < 22.5) | (a >= 157.5)
    vertical = (a >= 67.5) & (a < 112.5)
    keep = np.select(
        [horizontal, vertical],
        [(inner >= strength[1:-1, 2:]) & (inner >= strength[1:-1, :-2]), (inner >= strength[2:, 1:-1]) & (inner >= strength[:-2, 1:-1])],
        default=(inner >= strength[2:, 2:]) & (inner >= strength[:-2, :-2]),
    )
    ridges = inner * keep
    out = np.zeros(ridges.shape, dtype=np.uint8)
    out[ridges > low] = 128
    out[ridges > high] = 255
    return out


def arguments(n, rng):
    return rng.random((n, n)), 1.0, 2.0


SIZES = {"test": 12, "bench": 1500}
