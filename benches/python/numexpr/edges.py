import numpy as np
from numexpr import evaluate


def kernel(g, low, high):
    a, b, c, d = g[:-2, :-2], g[:-2, 1:-1], g[:-2, 2:], g[1:-1, :-2]
    e, f, h, i = g[1:-1, 2:], g[2:, :-2], g[2:, 1:-1], g[2:, 2:]
    gx = evaluate("(c + 2 * e + i) - (a + 2 * d + f)")
    gy = evaluate("(f + 2 * h + i) - (a + 2 * b + c)")
    s = evaluate("sqrt(gx * gx + gy * gy)")
    x, y, inner = gx[1:-1, 1:-1], gy[1:-1, 1:-1], s[1:-1, 1:-1]
    degrees = 180 / np.pi
    angle = evaluate("arctan2(y, x) * degrees")
    angle = evaluate("where(angle < 0, angle + 180, where(angle >= 180, angle - 180, angle))", out=angle)
    east, west, south, north, se, nw = s[1:-1, 2:], s[1:-1, :-2], s[2:, 1:-1], s[:-2, 1:-1], s[2:, 2:], s[:-2, :-2]
    across = evaluate("where((angle < 22.5) | (angle >= 157.5), where(east > west, east, west),"
                      " where((angle >= 67.5) & (angle < 112.5), where(south > north, south, north), where(se > nw, se, nw)))")
    level = evaluate("where((inner >= across) & (inner > low), where(inner > high, 255, 128), 0)")
    return level.astype(np.uint8)
