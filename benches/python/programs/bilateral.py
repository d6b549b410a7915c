"""A bilateral filter by shifted copies of the image."""
import numpy as np


def kernel(image, radius, sigma_s, sigma_r):
    total = np.zeros_like(image)
    norm = np.zeros_like(image)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            shifted = np.roll(image, (dy, dx), axis=(0, 1))
            w = np.exp(-(dx * dx + dy * dy) / (2 * sigma_s**2)) * np.exp(-((shifted - image) ** 2) / (2 * sigma_r**2))
            total += w * shifted
            norm += w
    return total / norm


def arguments(n, rng):
    return rng.random((n, n)), 2, 1.5, 0.2


SIZES = {"test": 10, "bench": 500}
