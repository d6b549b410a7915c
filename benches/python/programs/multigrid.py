"""A V-cycle for Poisson's equation in a plane, by recursion."""
import numpy as np


def smooth(u, f, h, times):
    for _ in range(times):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + h * h * f[1:-1, 1:-1])


def residual(u, f, h):
    r = np.zeros_like(u)
    r[1:-1, 1:-1] = f[1:-1, 1:-1] + (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]) / (h * h)
    return r


def two_grid(u, f, h):
    smooth(u, f, h, 3)
    r = residual(u, f, h)
    coarse_f = r[::2, ::2].copy()
    coarse = np.zeros_like(coarse_f)
    smooth(coarse, coarse_f, 2 * h, 20)
    correction = np.zeros_like(u)
    correction[::2, ::2] = coarse
    correction[1::2, ::2] = 0.5 * (coarse[:-1] + coarse[1:])
    correction[:, 1::2] = 0.5 * (correction[:, :-1:2] + correction[:, 2::2])
    u += correction
    smooth(u, f, h, 3)


def kernel(u, f, cycles):
    h = 1.0 / (u.shape[0] - 1)
    for _ in range(cycles):
        two_grid(u, f, h)
    return np.sqrt(np.mean(residual(u, f, h) ** 2))


def arguments(n, rng):
    return np.zeros((n + 1, n + 1)), rng.random((n + 1, n + 1)), 3


SIZES = {"test": 16, "bench": 800}
