"""k-means clustering (Lloyd's algorithm) from the first k points."""

from l0_text import arguments, show

iterations, k, points = arguments("kmeans")
centres = points[:k]


def distance2(p, q):
    return sum((a - b) ** 2 for a, b in zip(p, q))


def cluster(point):
    return min(range(k), key=lambda c: distance2(centres[c], point))


for _ in range(iterations):
    clusters = [[p for p in points if cluster(p) == c] for c in range(k)]
    centres = [
        [sum(axis) / len(members) for axis in zip(*members)] if members else old
        for members, old in zip(clusters, centres)
    ]

assigned = [cluster(p) for p in points]
show((centres, assigned, sum(distance2(centres[c], p) for c, p in zip(assigned, points))))
