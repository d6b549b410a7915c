"""Conway's life by sets of living cells."""

from collections import Counter


def life(alive, rows, columns, generations):
    for _ in range(generations):
        count = Counter(
            ((i + di) % rows, (j + dj) % columns)
            for i, j in alive
            for di in (-1, 0, 1)
            for dj in (-1, 0, 1)
            if (di, dj) != (0, 0)
        )
        alive = {cell for cell, n in count.items() if n == 3 or (n == 2 and cell in alive)}
    return alive


def cells(pattern):
    return {(i + 1, j + 1) for i, row in enumerate(pattern) for j, x in enumerate(row) if x == "#"}


glider = life(cells([".#.", "..#", "###"]), 10, 12, 30)
for i in range(10):
    print("".join("#" if (i, j) in glider else "." for j in range(12)))
for t in range(0, 201, 50):
    print(t, len(life(cells([".##", "##.", ".#."]), 40, 40, t)))
