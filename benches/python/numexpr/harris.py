import numpy as np
from numexpr import evaluate


def box(x):
    a, b, c = x[:-2], x[1:-1], x[2:]
    rows = evaluate("a + b + c")
    a, b, c = rows[:, :-2], rows[:, 1:-1], rows[:, 2:]
    return evaluate("a + b + c")


def kernel(image, k=0.04):
    right, left, below, above = image[1:-1, 2:], image[1:-1, :-2], image[2:, 1:-1], image[:-2, 1:-1]
    ix = evaluate("(right - left) / 2")
    iy = evaluate("(below - above) / 2")
    sxx, syy, sxy = box(evaluate("ix * ix")), box(evaluate("iy * iy")), box(evaluate("ix * iy"))
    k = np.float32(k)
    return evaluate("sxx * syy - sxy * sxy - k * (sxx + syy) * (sxx + syy)")
