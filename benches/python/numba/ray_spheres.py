"""Pixel by pixel."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(width, height, centres, radii, colours, light):
    xs = np.linspace(-1, 1, width)
    ys = np.linspace(-1, 1, height)
    image = np.zeros((height, width, 3))
    for i in prange(height):
        for j in range(width):
            length = np.sqrt(xs[j] * xs[j] + ys[i] * ys[i] + 1.5 * 1.5)
            rx = xs[j] / length
            ry = ys[i] / length
            rz = 1.5 / length
            nearest = 1e300
            for s in range(len(radii)):
                cx, cy, cz = centres[s, 0], centres[s, 1], centres[s, 2]
                b = rx * cx + ry * cy + rz * cz
                disc = b * b - (cx * cx + cy * cy + cz * cz - radii[s] ** 2)
                if disc > 0:
                    t = b - np.sqrt(disc)
                    if t > 0 and t < nearest:
                        dot = (rx * t - cx) * light[0] + (ry * t - cy) * light[1] + (rz * t - cz) * light[2]
                        shade = max(dot / radii[s], 0.1)
                        nearest = t
                        for c in range(3):
                            image[i, j, c] = shade * colours[s, c]
    return image
