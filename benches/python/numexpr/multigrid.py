import numpy as np
from numexpr import evaluate


def smooth(u, f, h, times):
    c, n, s, w, e, g = u[1:-1, 1:-1], u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:], f[1:-1, 1:-1]
    for _ in range(times):
        c[...] = evaluate("0.25 * (n + s + w + e + h * h * g)")


def residual(u, f, h):
    c, n, s, w, e, g = u[1:-1, 1:-1], u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:], f[1:-1, 1:-1]
    r = np.zeros_like(u)
    evaluate("g + (n + s + w + e - 4 * c) / (h * h)", out=r[1:-1, 1:-1])
    return r


def kernel(u, f, cycles):
    h = 1.0 / (u.shape[0] - 1)
    for _ in range(cycles):
        smooth(u, f, h, 3)
        coarse_f = residual(u, f, h)[::2, ::2].copy()
        coarse = np.zeros_like(coarse_f)
        smooth(coarse, coarse_f, 2 * h, 20)
        correction = np.zeros_like(u)
        correction[::2, ::2] = coarse
        correction[1::2, ::2] = 0.5 * (coarse[:-1] + coarse[1:])
        correction[:, 1::2] = 0.5 * (correction[:, :-1:2] + correction[:, 2::2])
        evaluate("u + correction", out=u)
        smooth(u, f, h, 3)
    return np.sqrt(np.mean(residual(u, f, h) ** 2))
