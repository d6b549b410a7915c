"""Implicit diffusion in each column of a model of the atmosphere: Thomas's algorithm on slices."""
import numpy as np


def kernel(field, diffusivity, dz, dt):
    levels = field.shape[2]
    upper = np.zeros_like(field)
    work = np.zeros_like(field)
    ratio = dt / dz**2
    up = ratio * 0.5 * (diffusivity[:, :, 1] + diffusivity[:, :, 0])
    diagonal = 1.0 + up
    upper[:, :, 0] = -up / diagonal
    work[:, :, 0] = field[:, :, 0] / diagonal
    for k in range(1, levels):
        down = up
        if k < levels - 1:
            up = ratio * 0.5 * (diffusivity[:, :, k + 1] + diffusivity[:, :, k])
        else:
            up = np.zeros_like(down)
        pivot = 1.0 / (1.0 + up + down + down * upper[:, :, k - 1])
        upper[:, :, k] = -up * pivot
        work[:, :, k] = (field[:, :, k] + down * work[:, :, k - 1]) * pivot
    field[:, :, -1] = work[:, :, -1]
    for k in range(levels - 2, -1, -1):
        field[:, :, k] = work[:, :, k] - upper[:, :, k] * field[:, :, k + 1]


def arguments(n, rng):
    shape = (n, n + 1, n // 2 + 4)
    return rng.random(shape), rng.random(shape), 0.5, 0.1


SIZES = {"test": 8, "bench": 160}
