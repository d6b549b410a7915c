"""Sharpening: a Gaussian blur in two passes over a padded image, and a mask."""
import numpy as np


def kernel(image, weight, threshold):
    taps = np.array([1, 4, 6, 4, 1]) / 16
    padded = np.pad(image, ((2, 2), (2, 2), (0, 0)), mode="edge")
    rows = sum(taps[k] * padded[k:padded.shape[0] - 4 + k] for k in range(5))
    blurred = taps[0] * rows[:, :-4] + taps[1] * rows[:, 1:-3] + taps[2] * rows[:, 2:-2] + taps[3] * rows[:, 3:-1] + taps[4] * rows[:, 4:]
    sharp = image * (1 + weight) - blurred * weight
    return np.where(np.abs(image - blurred) < threshold, image, sharp)


def arguments(n, rng):
    return rng.random((n, n, 3)).astype(np.float32), 3.0, 0.05


SIZES = {"test": 10, "bench": 1000}
