import numpy as np
from numexpr import evaluate


def kernel(width, height, centres, radii, colours, light):
    x = np.linspace(-1, 1, width)[None, :]
    y = np.linspace(-1, 1, height)[:, None]
    length = evaluate("sqrt(x * x + y * y + 2.25)")
    rx, ry, rz = evaluate("x / length"), evaluate("y / length"), evaluate("1.5 / length")
    lx, ly, lz = light
    nearest = np.full((height, width), np.inf)
    image = np.zeros((height, width, 3))
    for s in range(len(radii)):
        cx, cy, cz = centres[s]
        radius = radii[s]
        b = evaluate("rx * cx + ry * cy + rz * cz")
        disc = evaluate("b * b - (cx * cx + cy * cy + cz * cz - radius * radius)")
        t = evaluate("b - sqrt(where(disc > 0, disc, 0))")
        hit = evaluate("(disc > 0) & (t > 0) & (t < nearest)")
        shade = evaluate("((rx * t - cx) * lx + (ry * t - cy) * ly + (rz * t - cz) * lz) / radius")[hit]
        image[hit] = np.maximum(shade, 0.1)[:, None] * colours[s]
        nearest = evaluate("where(hit, t, nearest)", out=nearest)
    return image
