"""A softmax over the last of four axes."""
import numpy as np


def kernel(x):
    largest = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - largest)
    return e / np.sum(e, axis=-1, keepdims=True)


def arguments(n, rng):
    return (rng.random((n // 4, 4, n, n)).astype(np.float32),)


SIZES = {"test": 8, "bench": 224}
