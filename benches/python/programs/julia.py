"""A Julia set, point by point with an early exit."""
import numpy as np


def kernel(width, height, c, limit):
    out = np.empty((height, width), dtype=np.uint8)
    for i in range(height):
        for j in range(width):
            z = complex(-1.6 + 3.2 * j / width, -1.2 + 2.4 * i / height)
            steps = 0
            while z.real * z.real + z.imag * z.imag <= 4.0 and steps < limit:
                z = z * z + c
                steps += 1
            out[i, j] = steps
    return out


def arguments(n, rng):
    return n, n, -0.8 + 0.156j, 100


SIZES = {"test": 12, "bench": 320}
