"""A heat equation in NumPy, compiled: the time loop, the stencil and the sum run as few loops.

After `make python`: target/python/bin/python examples/python/heat.py
"""

import numpy as np

import frit


@frit.jit
def heat(u, steps, rate=0.1):
    for _ in range(steps):
        u[1:-1, 1:-1] += rate * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1])
    return np.sum(u)


if __name__ == "__main__":
    plate = np.zeros((1000, 1000))
    plate[400:600, 400:600] = 100.0
    mine, its = plate.copy(), plate.copy()
    assert np.isclose(heat(mine, 10), heat.__wrapped__(its, 10)) and np.allclose(mine, its)
    print(frit.bench(heat, plate, 10))
    print(heat.explain())
