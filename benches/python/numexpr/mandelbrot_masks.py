import numpy as np
from numexpr import evaluate


def kernel(xmin, xmax, ymin, ymax, xn, yn, maxiter, horizon=2.0):
    cx = np.linspace(xmin, xmax, xn)[None, :]
    cy = np.linspace(ymin, ymax, yn)[:, None]
    x = np.zeros((yn, xn))
    y = np.zeros((yn, xn))
    count = np.zeros((yn, xn), np.int64)
    for n in range(maxiter):
        moving = evaluate("x * x + y * y < horizon * horizon")
        count[moving] = n
        new = evaluate("where(moving, x * x - y * y + cx, x)")
        y = evaluate("where(moving, 2 * x * y + cy, y)")
        x = new
    count[count == maxiter - 1] = 0
    return x + 1j * y, count
