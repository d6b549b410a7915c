import numpy as np
from numexpr import evaluate


def kernel(torus, field, steps):
    for _ in range(steps):
        a, b = np.roll(torus, 1, 0), np.roll(torus, -1, 0)
        rows = evaluate("torus + a + b")
        a, b = np.roll(rows, 1, 1), np.roll(rows, -1, 1)
        n = evaluate("rows + a + b - torus")
        torus = evaluate("where((n == 3) | ((torus == 1) & (n == 2)), 1, 0)").astype(torus.dtype)
        here, a, b = field[:, 1:-1], field[:, :-2], field[:, 2:]
        rows = evaluate("here + a + b")
        here, above, middle, below = field[1:-1, 1:-1], rows[:-2], rows[1:-1], rows[2:]
        m = evaluate("above + middle + below - here")
        here[...] = evaluate("((m == 3) & (here == 0)) | (((m == 2) | (m == 3)) & (here == 1))")
        field[0] = field[-1] = 0
        field[:, 0] = field[:, -1] = 0
    return torus
