"""The product of two matrices, by its definition."""

from l0_text import arguments, show


def product(x, y):
    return [[sum(x[i][k] * y[k][j] for k in range(len(y))) for j in range(len(y[0]))] for i in range(len(x))]


if __name__ == "__main__":
    show(product(*arguments("p1")))
