"""Distances on a sphere between pairs of points."""
import numpy as np


def kernel(theta_1, phi_1, theta_2, phi_2):
    temp = np.sin((theta_2 - theta_1) / 2) ** 2 + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    return 2 * np.arctan2(np.sqrt(temp), np.sqrt(1 - temp))


def arguments(n, rng):
    return tuple(rng.random(n) for _ in range(4))


SIZES = {"test": 30, "bench": 2000000}
