"""Conjugate gradients on a grid, without a matrix."""
import numpy as np


def apply(p):
    q = 4.0 * p
    q[1:, :] -= p[:-1, :]
    q[:-1, :] -= p[1:, :]
    q[:, 1:] -= p[:, :-1]
    q[:, :-1] -= p[:, 1:]
    return q


def kernel(b, tolerance, limit):
    x = np.zeros_like(b)
    r = b - apply(x)
    p = r.copy()
    rs = np.sum(r * r)
    for k in range(limit):
        ap = apply(p)
        alpha = rs / np.sum(p * ap)
        x += alpha * p
        r -= alpha * ap
        new = np.vdot(r, r)
        if np.sqrt(new) < tolerance:
            return x, k + 1
        p = r + new / rs * p
        rs = new
    return x, limit


def arguments(n, rng):
    return rng.random((n, n)), 1e-6, 30


SIZES = {"test": 10, "bench": 700}
