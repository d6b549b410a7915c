"""Bodies under gravity: leapfrog written as position steps between half steps of the velocities."""

from math import dist, sqrt

masses = [1000.0, 1.0, 2.0, 0.5]
positions = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 20.0, 1.0], [-30.0, 0.0, 2.0]]
velocities = [[0.0, 0.0, 0.0], [0.0, 10.0, 0.0], [-7.0, 0.0, 0.0], [0.0, -5.5, 0.5]]
dt = 0.001


def kick(h):
    pulls = []
    for p in positions:
        pull = [0.0, 0.0, 0.0]
        for q, mass in zip(positions, masses):
            r2 = sum((b - a) ** 2 for a, b in zip(p, q)) + 1e-9
            for k in range(3):
                pull[k] += mass * (q[k] - p[k]) / (r2 * sqrt(r2))
        pulls.append(pull)
    for v, pull in zip(velocities, pulls):
        for k in range(3):
            v[k] += h * pull[k]


def energy():
    kinetic = sum(0.5 * m * sum(x * x for x in v) for m, v in zip(masses, velocities))
    pairs = [(i, j) for j in range(4) for i in range(j)]
    return kinetic - sum(masses[i] * masses[j] / dist(positions[i], positions[j]) for i, j in pairs)


before = energy()
for step in range(1000):
    kick(dt / 2)
    for p, v in zip(positions, velocities):
        for k in range(3):
            p[k] += dt * v[k]
    kick(dt / 2)
for p in positions:
    print(" ".join(f"{x:.8f}" for x in p))
print(f"{before:.8f} {energy():.8f}")
