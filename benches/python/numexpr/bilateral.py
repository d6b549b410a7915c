import numpy as np
from numexpr import evaluate


def kernel(image, radius, sigma_s, sigma_r):
    total = np.zeros_like(image)
    norm = np.zeros_like(image)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            shifted = np.roll(image, (dy, dx), axis=(0, 1))
            w = evaluate("exp(-(dx * dx + dy * dy) / (2 * sigma_s**2) - (shifted - image) ** 2 / (2 * sigma_r**2))")
            evaluate("total + w * shifted", out=total)
            evaluate("norm + w", out=norm)
    return evaluate("total / norm")
