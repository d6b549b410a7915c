"""Shortest paths with at most one stop, of length below 1200 unless direct."""

from l0_text import arguments, show

(distance,) = arguments("p2")
n = len(distance)
show(
    [
        [min(distance[i][j], 1200, *(distance[i][k] + distance[k][j] for k in range(n))) for j in range(n)]
        for i in range(n)
    ]
)
