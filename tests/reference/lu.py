"""LU factorisation with partial pivoting, by Crout's order of the sums; checked by multiplying the factors."""

from l0_text import arguments, show

(matrix,) = arguments("lu")
n = len(matrix)
order = list(range(n))
rows = [list(row) for row in matrix]
lower = [[0.0] * n for _ in range(n)]
upper = [[0.0] * n for _ in range(n)]

for k in range(n):
    # Column k below the diagonal, before the division by the pivot.
    column = {i: rows[i][k] - sum(lower[i][s] * upper[s][k] for s in range(k)) for i in range(k, n)}
    pivot = max(range(k, n), key=lambda i: abs(column[i]))
    for table in (rows, lower, order):
        table[k], table[pivot] = table[pivot], table[k]
    column[k], column[pivot] = column[pivot], column[k]
    for j in range(k, n):
        upper[k][j] = rows[k][j] - sum(lower[k][s] * upper[s][j] for s in range(k))
    for i in range(k + 1, n):
        lower[i][k] = column[i] / upper[k][k]

for i in range(n):
    for j in range(n):
        of_product = upper[i][j] + sum(lower[i][k] * upper[k][j] for k in range(i)) if i <= j else sum(
            lower[i][k] * upper[k][j] for k in range(j + 1)
        )
        assert abs(of_product - matrix[order[i]][j]) < 1e-12

show(([[lower[i][j] if j < i else upper[i][j] for j in range(n)] for i in range(n)], order))
