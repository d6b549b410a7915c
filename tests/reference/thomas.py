"""A tridiagonal system, solved as a full one by Gaussian elimination in exact fractions."""

from fractions import Fraction

from l0_text import arguments, show

lower, diagonal, upper, right = ([Fraction(x) for x in xs] for xs in arguments("thomas"))
n = len(diagonal)
system = [[Fraction(0)] * n + [right[i]] for i in range(n)]
for i in range(n):
    system[i][i] = diagonal[i]
    if i > 0:
        system[i][i - 1] = lower[i]
    if i < n - 1:
        system[i][i + 1] = upper[i]

for k in range(n):
    for i in range(n):
        if i != k:
            factor = system[i][k] / system[k][k]
            system[i] = [a - factor * b for a, b in zip(system[i], system[k])]

show([float(system[i][n] / system[i][i]) for i in range(n)])
