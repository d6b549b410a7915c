"""An image of spheres: rays in an array, nearest hits by masks, diffuse light."""
import numpy as np


def normalise(v):
    return v / np.sqrt((v * v).sum(axis=-1, keepdims=True))


def kernel(width, height, centres, radii, colours, light):
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    rays = normalise(np.stack([x, y, np.full_like(x, 1.5)], axis=-1))
    nearest = np.full((height, width), np.inf)
    image = np.zeros((height, width, 3))
    for s in range(len(radii)):
        b = rays @ centres[s]
        c = centres[s] @ centres[s] - radii[s] ** 2
        disc = b * b - c
        t = b - np.sqrt(np.maximum(disc, 0))
        hit = (disc > 0) & (t > 0) & (t < nearest)
        normal = (rays * t[..., None] - centres[s]) / radii[s]
        shade = np.maximum(normal @ light, 0.1)
        image[hit] = (shade[..., None] * colours[s])[hit]
        nearest = np.where(hit, t, nearest)
    return image


def arguments(n, rng):
    centres = rng.random((4, 3)) * 2 - 1
    centres[:, 2] += 4
    return n, n, centres, 0.3 + 0.3 * rng.random(4), rng.random((4, 3)), np.array([0.6, -0.64, -0.48])


SIZES = {"test": 12, "bench": 500}
