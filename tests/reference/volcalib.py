"""Option prices under stochastic local volatility: Crank-Nicolson with alternating directions on full matrices.

The implicit half-steps are solved by Gaussian elimination on dense matrices, so nothing is shared with the tridiagonal
solver of the program.
"""

from math import exp, log, sqrt

from l0_text import arguments, show

(nx, ny, nt), (spot, years, alpha, nu, beta), strikes, quotes = arguments("volcalib")
hx = 20 * alpha * spot * sqrt(years) / nx
hy = 10 * nu * sqrt(years) / ny
dt = years / nt
now_x, now_y = int(spot / hx), ny // 2
xs = [spot + hx * (i - now_x) for i in range(nx)]
ys = [log(alpha) + hy * (j - now_y) for j in range(ny)]


def operator(n, step, variance):
    """Half the variance times the second difference, as a dense matrix; zero at both ends."""
    matrix = [[0.0] * n for _ in range(n)]
    for i in range(1, n - 1):
        weight = 0.5 * variance(i) / step**2
        matrix[i][i - 1 : i + 2] = [weight, -2 * weight, weight]
    return matrix


def apply(matrix, v):
    return [sum(a * b for a, b in zip(row, v)) for row in matrix]


def solve(matrix, right):
    n = len(right)
    system = [[(1 / dt if i == j else 0.0) - 0.5 * matrix[i][j] for j in range(n)] + [right[i]] for i in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            factor = system[i][k] / system[k][k]
            system[i] = [a - factor * b for a, b in zip(system[i], system[k])]
    solution = [0.0] * n
    for i in reversed(range(n)):
        known = sum(system[i][j] * solution[j] for j in range(i + 1, n))
        solution[i] = (system[i][n] - known) / system[i][i]
    return solution


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def price(strike):
    u = [[max(x - strike, 0.0) for x in xs] for _ in ys]
    along_y = operator(ny, hy, lambda j: nu**2)
    for step in reversed(range(nt)):
        t = step * dt
        along_x = [
            operator(nx, hx, lambda i: exp(2 * (beta * log(xs[i]) + y - nu**2 * t / 2))) for y in ys
        ]
        lx = [apply(matrix, row) for matrix, row in zip(along_x, u)]
        ly = transposed([apply(along_y, column) for column in transposed(u)])
        v = [
            solve(along_x[j], [u[j][i] / dt + lx[j][i] / 2 + ly[j][i] for i in range(nx)])
            for j in range(ny)
        ]
        u = transposed(
            [solve(along_y, [v[j][i] / dt - ly[j][i] / 2 for j in range(ny)]) for i in range(nx)]
        )
    return u[now_y][now_x]


prices = [price(strike) for strike in strikes]
show((prices, sqrt(sum((p - q) ** 2 for p, q in zip(prices, quotes)) / len(quotes))))
