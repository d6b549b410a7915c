"""Mesh generation: residuals point by point, corrections by dense elimination with pivoting."""


def mesh(m, n):
    def bump(i, n):
        return 4 * (i / (n - 1)) * (1 - i / (n - 1))

    x = [[j / (n - 1) + 0.05 * bump(i, m) * bump(j, n) for j in range(n)] for i in range(m)]
    y = [
        [i / (m - 1) + (1 - i / (m - 1)) * 0.2 * bump(j, n) - 0.05 * bump(i, m) * bump(j, n) for j in range(n)]
        for i in range(m)
    ]
    return x, y


def dense_solve(rows, rhs):
    n = len(rhs)
    a = [row + [r] for row, r in zip(rows, rhs)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            if f:
                a[i] = [u - f * v for u, v in zip(a[i], a[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (a[k][n] - sum(a[k][j] * x[j] for j in range(k + 1, n))) / a[k][k]
    return x


def relax(x, y):
    m, n = len(x), len(x[0])
    inner = [(i, j) for i in range(1, m - 1) for j in range(1, n - 1)]
    a, b, residuals = {}, {}, ({}, {})
    for i, j in inner:
        xd, yd = (z[i + 1][j] - z[i - 1][j] for z in (x, y))
        xa, ya = (z[i][j + 1] - z[i][j - 1] for z in (x, y))
        a[i, j] = (xd**2 + yd**2) / 4
        b[i, j] = (xa**2 + ya**2) / 4
        c = (xa * xd + ya * yd) / 8
        for z, r in zip((x, y), residuals):
            across2 = z[i][j + 1] - 2 * z[i][j] + z[i][j - 1]
            down2 = z[i + 1][j] - 2 * z[i][j] + z[i - 1][j]
            diagonal = z[i + 1][j + 1] - z[i + 1][j - 1] - z[i - 1][j + 1] + z[i - 1][j - 1]
            r[i, j] = a[i, j] * across2 + b[i, j] * down2 - c * diagonal
    greatest = [max(abs(e) for e in r.values()) for r in residuals]
    new = [[row[:] for row in z] for z in (x, y)]
    for j in range(1, n - 1):
        rows = []
        for i in range(1, m - 1):
            row = [0.0] * (m - 2)
            row[i - 1] = 2 * b[i, j] + a[i, j] * 2 / 0.98
            # The coefficient beside the diagonal is that of the row, in both directions, as in the benchmark.
            if i > 1:
                row[i - 2] = -b[i, j]
            if i < m - 2:
                row[i] = -b[i, j]
            rows.append(row)
        for z, r in zip(new, residuals):
            for i, by in enumerate(dense_solve(rows, [r[i, j] for i in range(1, m - 1)])):
                z[i + 1][j] += by
    return new[0], new[1], greatest


x, y = mesh(21, 25)
done = 0
for iterations in 1, 4, 16, 64:
    while done < iterations:
        x, y, greatest = relax(x, y)
        done += 1
    print(f"{iterations} {greatest[0]:.8e} {greatest[1]:.8e} {sum(map(sum, x)):.8f} {sum(map(sum, y)):.8f}")
