"""Normalisation over a batch, a residual sum and a rectifier."""
import numpy as np


def kernel(x, residual, gamma, beta, eps=1e-5):
    mean = np.mean(x, axis=(0, 2, 3), keepdims=True)
    var = np.var(x, axis=(0, 2, 3), keepdims=True)
    y = gamma[None, :, None, None] * (x - mean) / np.sqrt(var + eps) + beta[None, :, None, None]
    return np.maximum(y + residual, 0.0)


def arguments(n, rng):
    f = lambda *s: rng.random(s).astype(np.float32)
    return f(4, 8, n, n), f(4, 8, n, n), f(8), f(8)


SIZES = {"test": 6, "bench": 384}
