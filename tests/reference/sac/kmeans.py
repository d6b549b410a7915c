"""k-means clustering (Lloyd's algorithm) from the first k points."""

n, k = 400, 4
points = [
    (i % 2 * 3.0 + (i * 7919 + 13) % 1009 / 1009, i // 2 % 2 * 5.0 + (i * 104729 + 7) % 1013 / 1013) for i in range(n)
]
centres = points[:k]


def cluster(point):
    return min(range(k), key=lambda c: sum((a - b) ** 2 for a, b in zip(point, centres[c])))


for _ in range(10):
    groups = [[] for _ in range(k)]
    for p in points:
        groups[cluster(p)].append(p)
    centres = [tuple(sum(xs) / len(g) for xs in zip(*g)) if g else old for g, old in zip(groups, centres)]

assigned = [cluster(p) for p in points]
for c, (x, y) in enumerate(centres):
    print(f"{x:.8f} {y:.8f} {assigned.count(c)}")
