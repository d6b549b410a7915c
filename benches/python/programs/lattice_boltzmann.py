"""A fluid by the method of lattice Boltzmann, nine directions, round an obstacle."""
import numpy as np


def equilibrium(rho, ux, uy, cx, cy, w):
    cu = 3.0 * (cx[:, None, None] * ux + cy[:, None, None] * uy)
    usq = 1.5 * (ux**2 + uy**2)
    return rho * w[:, None, None] * (1 + cu + 0.5 * cu**2 - usq)


def kernel(f, obstacle, omega, steps):
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    w = np.array([4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36])
    opposite = [0, 3, 4, 1, 2, 7, 8, 5, 6]
    for _ in range(steps):
        for i in range(9):
            f[i] = np.roll(np.roll(f[i], cx[i], axis=1), cy[i], axis=0)
        bounced = f[opposite][:, obstacle]
        rho = np.sum(f, axis=0)
        ux = np.sum(f * cx[:, None, None], axis=0) / rho
        uy = np.sum(f * cy[:, None, None], axis=0) / rho
        f += -omega * (f - equilibrium(rho, ux, uy, cx, cy, w))
        f[:, obstacle] = bounced
        ux[obstacle] = 0
        uy[obstacle] = 0
    return rho, ux, uy


def arguments(n, rng):
    y, x = np.mgrid[0:n, 0:2 * n]
    return 1 + 0.1 * rng.random((9, n, 2 * n)), (x - n / 2) ** 2 + (y - n / 2) ** 2 < (n / 8) ** 2, 1.2, 4


SIZES = {"test": 10, "bench": 200}
