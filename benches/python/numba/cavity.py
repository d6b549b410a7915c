"""Sweeps between two arrays, by rows."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def sweep(psi, omega, out, h):
    n, m = psi.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = 0.25 * (psi[i + 1, j] + psi[i - 1, j] + psi[i, j + 1] + psi[i, j - 1] + h * h * omega[i, j])


@njit(parallel=True, fastmath=True, error_model="numpy")
def transport(psi, omega, out, h, dt, re):
    n, m = psi.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            u = (psi[i + 1, j] - psi[i - 1, j]) / (2 * h)
            v = -(psi[i, j + 1] - psi[i, j - 1]) / (2 * h)
            wx = (omega[i, j + 1] - omega[i, j - 1]) / (2 * h)
            wy = (omega[i + 1, j] - omega[i - 1, j]) / (2 * h)
            lap = (omega[i + 1, j] + omega[i - 1, j] + omega[i, j + 1] + omega[i, j - 1] - 4 * omega[i, j]) / h**2
            out[i, j] = omega[i, j] + dt * (lap / re - u * wx - v * wy)
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            omega[i, j] = out[i, j]


@njit(fastmath=True, error_model="numpy")
def kernel(psi, omega, steps, sweeps, dt, re, lid=1.0):
    h = 1.0 / (psi.shape[0] - 1)
    given = psi
    other = psi.copy()
    scratch = np.empty_like(omega)
    for _ in range(steps):
        for _ in range(sweeps):
            sweep(psi, omega, other, h)
            psi, other = other, psi
        omega[0, :] = -2 * psi[1, :] / h**2
        omega[-1, :] = -2 * psi[-2, :] / h**2 - 2 * lid / h
        omega[:, 0] = -2 * psi[:, 1] / h**2
        omega[:, -1] = -2 * psi[:, -2] / h**2
        transport(psi, omega, scratch, h, dt, re)
    if steps * sweeps % 2:
        given[:] = psi
    return np.max(np.abs(psi))
