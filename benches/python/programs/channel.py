"""Flow that a force drives through a channel closed on itself, until it no longer changes."""
import numpy as np


def kernel(u, dt, nu, force, tolerance):
    steps = 0
    change = 1.0
    while change > tolerance and steps < 1000:
        old = u.copy()
        right = np.roll(old, -1, axis=1)
        left = np.roll(old, 1, axis=1)
        u[1:-1] = (old[1:-1] - dt * old[1:-1] * (old[1:-1] - left[1:-1])
                   + nu * dt * (right[1:-1] + left[1:-1] + old[2:] + old[:-2] - 4.0 * old[1:-1]) + force * dt)
        u[0] = 0
        u[-1] = 0
        change = np.abs(u - old).sum() / np.abs(u).sum()
        steps += 1
    return steps, change


def arguments(n, rng):
    return 0.01 * rng.random((n, n)), 0.05, 1.0, 0.1, 0.01


SIZES = {"test": 12, "bench": 400}
