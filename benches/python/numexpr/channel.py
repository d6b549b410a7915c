import numpy as np
from numexpr import evaluate


def kernel(u, dt, nu, force, tolerance):
    steps = 0
    change = 1.0
    while change > tolerance and steps < 1000:
        old = u.copy()
        right = np.roll(old, -1, axis=1)[1:-1]
        left = np.roll(old, 1, axis=1)[1:-1]
        o, below, above = old[1:-1], old[2:], old[:-2]
        evaluate("o - dt * o * (o - left) + nu * dt * (right + left + below + above - 4.0 * o) + force * dt", out=u[1:-1])
        u[0] = 0
        u[-1] = 0
        change = evaluate("sum(abs(u - old))") / evaluate("sum(abs(u))")
        steps += 1
    return steps, float(change)
