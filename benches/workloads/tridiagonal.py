"""Tridiagonal systems, one a row, by elimination and substitution."""


def main(lower, diagonal, upper, right):
    diagonal, right = diagonal.copy(), right.copy()
    n = diagonal.shape[1]
    for i in range(1, n):
        multiplier = lower[:, i] / diagonal[:, i - 1]
        diagonal[:, i] -= multiplier * upper[:, i - 1]
        right[:, i] -= multiplier * right[:, i - 1]
    right[:, n - 1] /= diagonal[:, n - 1]
    for i in range(n - 2, -1, -1):
        right[:, i] = (right[:, i] - upper[:, i] * right[:, i + 1]) / diagonal[:, i]
    return right
