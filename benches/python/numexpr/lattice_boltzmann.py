import numpy as np
from numexpr import evaluate

CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
W = np.array([4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36])
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]


def kernel(f, obstacle, omega, steps):
    for _ in range(steps):
        for i in range(9):
            f[i] = np.roll(f[i], (CY[i], CX[i]), axis=(0, 1))
        bounced = f[OPPOSITE][:, obstacle]
        a, b, c, d, e, g, h, i, j = f
        rho = evaluate("a + b + c + d + e + g + h + i + j")
        ux = evaluate("(b - d + g - h - i + j) / rho")
        uy = evaluate("(c - e + g + h - i - j) / rho")
        usq = evaluate("1.5 * (ux * ux + uy * uy)")
        for k in range(9):
            old, w = f[k], W[k]
            cx, cy = float(CX[k]), float(CY[k])
            cu = evaluate("3.0 * (cx * ux + cy * uy)")
            evaluate("old - omega * (old - rho * w * (1 + cu + 0.5 * cu * cu - usq))", out=old)
        f[:, obstacle] = bounced
        ux[obstacle] = 0
        uy[obstacle] = 0
    return rho, ux, uy
