"""Flow in a box whose lid moves, by stream function and vorticity."""
import numpy as np


def poisson(psi, omega, h, sweeps):
    for _ in range(sweeps):
        psi[1:-1, 1:-1] = 0.25 * (psi[2:, 1:-1] + psi[:-2, 1:-1] + psi[1:-1, 2:] + psi[1:-1, :-2] + h * h * omega[1:-1, 1:-1])


def walls(psi, omega, h, lid):
    omega[0, :] = -2 * psi[1, :] / h**2
    omega[-1, :] = -2 * psi[-2, :] / h**2 - 2 * lid / h
    omega[:, 0] = -2 * psi[:, 1] / h**2
    omega[:, -1] = -2 * psi[:, -2] / h**2


def kernel(psi, omega, steps, sweeps, dt, re, lid=1.0):
    h = 1.0 / (psi.shape[0] - 1)
    for _ in range(steps):
        poisson(psi, omega, h, sweeps)
        walls(psi, omega, h, lid)
        u = (psi[2:, 1:-1] - psi[:-2, 1:-1]) / (2 * h)
        v = -(psi[1:-1, 2:] - psi[1:-1, :-2]) / (2 * h)
        wx = (omega[1:-1, 2:] - omega[1:-1, :-2]) / (2 * h)
        wy = (omega[2:, 1:-1] - omega[:-2, 1:-1]) / (2 * h)
        lap = (omega[2:, 1:-1] + omega[:-2, 1:-1] + omega[1:-1, 2:] + omega[1:-1, :-2] - 4 * omega[1:-1, 1:-1]) / h**2
        omega[1:-1, 1:-1] += dt * (lap / re - u * wx - v * wy)
    return np.max(np.abs(psi))


def arguments(n, rng):
    return np.zeros((n, n)), np.zeros((n, n)), 10, 12, 0.05 / n**1.5, 100.0


SIZES = {"test": 14, "bench": 300}
