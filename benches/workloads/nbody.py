"""The accelerations that bodies give each other."""

import numpy as np


def main(x, y, z, mass):
    dx = x[np.newaxis, :] - x[:, np.newaxis]
    dy = y[np.newaxis, :] - y[:, np.newaxis]
    dz = z[np.newaxis, :] - z[:, np.newaxis]
    r = dx * dx + dy * dy + dz * dz + 0.0001
    w = mass[np.newaxis, :] / (r * np.sqrt(r))
    return (w * dx).sum(axis=1), (w * dy).sum(axis=1), (w * dz).sum(axis=1)
