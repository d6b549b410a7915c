"""Bodies under gravity with the leapfrog method (kick, drift, kick), coordinate by coordinate."""

from math import sqrt

from l0_text import arguments, show

SOFTENING = 1e-9

steps, dt, masses, positions, velocities = arguments("nbody")
bodies = range(len(masses))


def distance(i, j):
    return sqrt(sum((a - b) ** 2 for a, b in zip(positions[i], positions[j])) + SOFTENING)


def kick():
    for i in bodies:
        for axis in range(3):
            velocities[i][axis] += 0.5 * dt * sum(
                masses[j] * (positions[j][axis] - positions[i][axis]) / distance(i, j) ** 3 for j in bodies
            )


for _ in range(steps):
    kick()
    for i in bodies:
        for axis in range(3):
            positions[i][axis] += dt * velocities[i][axis]
    kick()

kinetic = sum(0.5 * masses[i] * v * v for i in bodies for v in velocities[i])
potential = -sum(masses[i] * masses[j] / distance(i, j) for i in bodies for j in range(i))
show((positions, velocities, kinetic + potential))
