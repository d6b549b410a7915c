"""The heat equation in a box."""
import numpy as np


def step(u):
    return (0.125 * (u[2:, 1:-1, 1:-1] - 2.0 * u[1:-1, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1])
            + 0.125 * (u[1:-1, 2:, 1:-1] - 2.0 * u[1:-1, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1])
            + 0.125 * (u[1:-1, 1:-1, 2:] - 2.0 * u[1:-1, 1:-1, 1:-1] + u[1:-1, 1:-1, :-2])
            + u[1:-1, 1:-1, 1:-1])


def kernel(tsteps, a, b):
    for t in range(1, tsteps):
        b[1:-1, 1:-1, 1:-1] = step(a)
        a[1:-1, 1:-1, 1:-1] = step(b)


def arguments(n, rng):
    return 12, rng.random((n, n, n)), rng.random((n, n, n))


SIZES = {"test": 8, "bench": 100}
