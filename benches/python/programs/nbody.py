"""Bodies under gravity: all pairs by broadcasting, leapfrog steps, energy at each."""
import numpy as np


def accelerations(pos, mass, G, softening):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    return np.hstack((ax, ay, az))


def energy(pos, vel, mass, G):
    kinetic = 0.5 * np.sum(mass * vel**2)
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    r = np.sqrt((x.T - x)**2 + (y.T - y)**2 + (z.T - z)**2)
    inv = np.zeros_like(r)
    inv[r > 0] = 1.0 / r[r > 0]
    potential = G * np.sum(np.triu(-(mass * mass.T) * inv, 1))
    return kinetic, potential


def kernel(mass, pos, vel, steps, dt, G, softening):
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = accelerations(pos, mass, G, softening)
    ke = np.ndarray(steps + 1, dtype=np.float64)
    pe = np.ndarray(steps + 1, dtype=np.float64)
    ke[0], pe[0] = energy(pos, vel, mass, G)
    for i in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc[:] = accelerations(pos, mass, G, softening)
        vel += acc * dt / 2.0
        ke[i + 1], pe[i + 1] = energy(pos, vel, mass, G)
    return ke, pe


def arguments(n, rng):
    return 20.0 * np.ones((n, 1)) / n, rng.standard_normal((n, 3)), rng.standard_normal((n, 3)), 8, 0.01, 1.0, 0.1


SIZES = {"test": 12, "bench": 500}
