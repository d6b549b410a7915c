import numpy as np
from numexpr import evaluate


def kernel(a, b, lo, hi):
    trace = np.tanh(np.diagonal(a)).sum()
    out = evaluate("a + trace")
    ints = evaluate("where(b < 2, 2, where(b > 10, 10, b)) * lo + where(b < 0, 0, where(b > 7, 7, b)) * hi + 9")
    return out, ints
