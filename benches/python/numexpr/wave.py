import numpy as np
from numexpr import evaluate


def kernel(previous, current, c2, damping, steps):
    for _ in range(steps):
        a, b, c, d = np.roll(current, 1, 0), np.roll(current, -1, 0), np.roll(current, 1, 1), np.roll(current, -1, 1)
        following = evaluate("(2 - damping) * current - (1 - damping) * previous + c2 * (a + b + c + d - 4 * current)")
        previous, current = current, following
    return current, evaluate("max(abs(current))")
