import numpy as np
from numexpr import evaluate


def kernel(x, y, w, rate, steps):
    losses = np.zeros(steps)
    for i in range(steps):
        s = x @ w
        p = evaluate("1 / (1 + exp(-s))")
        losses[i] = -evaluate("sum(y * log(p + 1e-12) + (1 - y) * log(1 - p + 1e-12))") / len(y)
        w = w - rate * (x.T @ (p - y)) / len(y)
    return w, losses
