import numpy as np
from numexpr import evaluate


def kernel(b, tolerance, limit):
    x = np.zeros_like(b)
    r = b.copy()
    padded = np.zeros((b.shape[0] + 2, b.shape[1] + 2))
    p, up, down, left, right = padded[1:-1, 1:-1], padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]
    p[...] = r
    rs = evaluate("sum(r * r)")
    for k in range(limit):
        ap = evaluate("4.0 * p - up - down - left - right")
        alpha = rs / evaluate("sum(p * ap)")
        evaluate("x + alpha * p", out=x)
        evaluate("r - alpha * ap", out=r)
        new = evaluate("sum(r * r)")
        if np.sqrt(new) < tolerance:
            return x, k + 1
        beta = new / rs
        evaluate("r + beta * p", out=p)
        rs = new
    return x, limit
