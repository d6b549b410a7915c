import numpy as np
from numexpr import evaluate


def sweep(psi, omega, h):
    down, up, right, left, w = psi[2:, 1:-1], psi[:-2, 1:-1], psi[1:-1, 2:], psi[1:-1, :-2], omega[1:-1, 1:-1]
    psi[1:-1, 1:-1] = evaluate("0.25 * (down + up + right + left + h * h * w)")


def transport(psi, omega, h, dt, re):
    pd, pu, pr, pl = psi[2:, 1:-1], psi[:-2, 1:-1], psi[1:-1, 2:], psi[1:-1, :-2]
    wd, wu, wr, wl = omega[2:, 1:-1], omega[:-2, 1:-1], omega[1:-1, 2:], omega[1:-1, :-2]
    w = omega[1:-1, 1:-1]
    omega[1:-1, 1:-1] = evaluate("w + dt * ((wd + wu + wr + wl - 4 * w) / h**2 / re"
                                 " - ((pd - pu) * (wr - wl) - (pr - pl) * (wd - wu)) / (4 * h**2))")


def kernel(psi, omega, steps, sweeps, dt, re, lid=1.0):
    h = 1.0 / (psi.shape[0] - 1)
    for _ in range(steps):
        for _ in range(sweeps):
            sweep(psi, omega, h)
        omega[0, :] = -2 * psi[1, :] / h**2
        omega[-1, :] = -2 * psi[-2, :] / h**2 - 2 * lid / h
        omega[:, 0] = -2 * psi[:, 1] / h**2
        omega[:, -1] = -2 * psi[:, -2] / h**2
        transport(psi, omega, h, dt, re)
    return np.max(np.abs(psi))
