"""The Mandelbrot set: for each point c of a grid, how often z := z * z + c can be repeated from 0 until z is farther than 2 from 0."""

import numpy as np


def main(width, height, limit):
    re = -2.0 + 3.0 * (np.arange(width) + 0.5) / width
    im = -1.2 + 2.4 * (np.arange(height) + 0.5) / height
    c = re[np.newaxis, :] + 1j * im[:, np.newaxis]
    z = np.zeros(c.shape, dtype=np.complex128)
    steps = np.zeros(c.shape, dtype=np.int64)
    for _ in range(limit):
        inside = z.real * z.real + z.imag * z.imag <= 4.0
        z[inside] = z[inside] * z[inside] + c[inside]
        steps += inside
    return steps
