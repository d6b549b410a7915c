import numpy as np
from numexpr import evaluate


def blurred_along_first(x):
    n = len(x) - 4
    a, b, c, d, e = (x[k:n + k] for k in range(5))
    return evaluate("(a + 4 * b + 6 * c + 4 * d + e) / 16.0")


def kernel(image, weight, threshold):
    padded = np.pad(image, ((2, 2), (2, 2), (0, 0)), mode="edge").astype(np.float64)
    blurred = blurred_along_first(blurred_along_first(padded).swapaxes(0, 1)).swapaxes(0, 1)
    return evaluate("where(abs(image - blurred) < threshold, image, image * (1 + weight) - blurred * weight)")
