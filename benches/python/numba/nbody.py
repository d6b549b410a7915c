"""Pairs in a loop for each body, without matrices."""
import math

import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def accelerations(x, y, z, mass, G, softening, acc):
    n = x.size
    for i in prange(n):
        ax = 0.0
        ay = 0.0
        az = 0.0
        for j in range(n):
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            dz = z[j] - z[i]
            d2 = dx * dx + dy * dy + dz * dz + softening * softening
            f = mass[j, 0] / (d2 * math.sqrt(d2)) if d2 > 0 else 0.0
            ax += dx * f
            ay += dy * f
            az += dz * f
        acc[i, 0] = G * ax
        acc[i, 1] = G * ay
        acc[i, 2] = G * az


@njit(parallel=True, fastmath=True, error_model="numpy")
def energy(x, y, z, vel, mass, G):
    n = x.size
    kinetic = 0.0
    potential = 0.0
    for i in prange(n):
        kinetic += mass[i, 0] * (vel[i, 0] ** 2 + vel[i, 1] ** 2 + vel[i, 2] ** 2)
        s = 0.0
        for j in range(i + 1, n):
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            dz = z[j] - z[i]
            d2 = dx * dx + dy * dy + dz * dz
            s += mass[j, 0] / math.sqrt(d2) if d2 > 0 else 0.0
        potential -= mass[i, 0] * s
    return 0.5 * kinetic, G * potential


@njit(fastmath=True, error_model="numpy")
def kernel(mass, pos, vel, steps, dt, G, softening):
    n = mass.shape[0]
    middle = np.mean(mass)
    for c in range(3):
        vel[:, c] -= np.mean(mass[:, 0] * vel[:, c]) / middle
    acc = np.empty((n, 3))
    ke = np.empty(steps + 1)
    pe = np.empty(steps + 1)
    x, y, z = pos[:, 0].copy(), pos[:, 1].copy(), pos[:, 2].copy()
    accelerations(x, y, z, mass, G, softening, acc)
    ke[0], pe[0] = energy(x, y, z, vel, mass, G)
    for i in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        x[:], y[:], z[:] = pos[:, 0], pos[:, 1], pos[:, 2]
        accelerations(x, y, z, mass, G, softening, acc)
        vel += acc * dt / 2.0
        ke[i + 1], pe[i + 1] = energy(x, y, z, vel, mass, G)
    return ke, pe
