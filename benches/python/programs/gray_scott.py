"""Reaction and diffusion on a torus whose borders are copied."""
import numpy as np


def laplacian(z):
    return z[:-2, 1:-1] + z[1:-1, :-2] + z[1:-1, 2:] + z[2:, 1:-1] - 4 * z[1:-1, 1:-1]


def borders(z):
    z[0, :] = z[-2, :]
    z[-1, :] = z[1, :]
    z[:, 0] = z[:, -2]
    z[:, -1] = z[:, 1]


def kernel(u, v, steps, du=0.16, dv=0.08, f=0.035, k=0.065):
    for _ in range(steps):
        lu = laplacian(u)
        lv = laplacian(v)
        uc, vc = u[1:-1, 1:-1], v[1:-1, 1:-1]
        uvv = uc * vc * vc
        uc += du * lu - uvv + f * (1 - uc)
        vc += dv * lv + uvv - (f + k) * vc
        borders(u)
        borders(v)
    return v


def arguments(n, rng):
    u, v = np.ones((n, n)), np.zeros((n, n))
    v[n // 3:n // 2, n // 3:n // 2] = 0.25
    return u, v, 12


SIZES = {"test": 12, "bench": 800}
