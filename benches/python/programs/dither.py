"""Floyd's and Steinberg's spreading of errors."""
import numpy as np


def kernel(image):
    image = image.astype(np.float64)
    h, w = image.shape
    for y in range(h - 1):
        for x in range(1, w - 1):
            old = image[y, x]
            new = 255.0 if old > 127 else 0.0
            image[y, x] = new
            e = old - new
            image[y, x + 1] += e * 7 / 16
            image[y + 1, x - 1] += e * 3 / 16
            image[y + 1, x] += e * 5 / 16
            image[y + 1, x + 1] += e * 1 / 16
    return np.clip(image, 0, 255).astype(np.uint8)


def arguments(n, rng):
    return (rng.integers(0, 256, (n, n)).astype(np.uint8),)


SIZES = {"test": 12, "bench": 400}
