"""Pairs in a folded strand of RNA: dynamic programming over intervals."""
import numpy as np


def fits(a, b):
    return 1 if a + b == 3 else 0


def kernel(strand):
    n = len(strand)
    best = np.zeros((n, n), dtype=np.int32)
    for i in range(n - 2, -1, -1):
        for j in range(i + 1, n):
            inside = best[i + 1, j - 1] if i + 1 < j - 1 else 0
            value = max(inside + fits(strand[i], strand[j]), np.max(best[i, i:j] + best[i + 1:j + 1, j]))
            best[i, j] = value
    return best[0, -1], best


def arguments(n, rng):
    return (rng.integers(0, 4, n),)


SIZES = {"test": 14, "bench": 400}
