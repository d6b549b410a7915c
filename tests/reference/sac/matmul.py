"""Products of matrices in exact fractions."""

from fractions import Fraction

from arrays import show


def sample(m, n):
    return [[Fraction((i * n + j) * 37 % 2**32 + 11) % 17 / 8 - 1 for j in range(n)] for i in range(m)]


def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


c = matmul(sample(5, 4), sample(4, 6))
show([[float(x) for x in row] for row in c])
show([float(sum(x * y for x, y in zip(row, c[0]))) for row in c])
large = matmul(sample(60, 50), sample(50, 70))
print(f"{float(sum(map(sum, large))):.10g} {float(sum(c[0]) * sum(c[1])):.10g}")
a, b = 0, 1
for _ in range(30):
    a, b = b, a + b
print(a)
