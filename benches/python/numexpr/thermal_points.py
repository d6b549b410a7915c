import numpy as np
from numexpr import evaluate


def kernel(rod, steps, conductivity, capacity, limit=1e-3):
    r = conductivity / capacity
    if steps <= 0:
        return rod, 0
    for k in range(steps):
        new = rod.copy()
        left, middle, right = rod[:-2], rod[1:-1], rod[2:]
        change = evaluate("r * (right - 2 * middle + left)")
        new[1:-1] += change
        if evaluate("max(abs(change))") < limit:
            return new, k
        rod = new
    return rod, steps
