import numpy as np
from numexpr import evaluate


def kernel(spins, numbers, beta):
    ii, jj = np.indices(spins.shape)
    odd = (ii + jj) % 2
    energies = np.empty(len(numbers))
    for t, r in enumerate(numbers):
        for colour in (0, 1):
            a, b, c, d = np.roll(spins, 1, 0), np.roll(spins, -1, 0), np.roll(spins, 1, 1), np.roll(spins, -1, 1)
            spins = evaluate("where((odd == colour) & (r < exp(-beta * (2 * spins * (a + b + c + d)))), -spins, spins)")
        a, b = np.roll(spins, 1, 0), np.roll(spins, 1, 1)
        energies[t] = -evaluate("sum(spins * (a + b))") / spins.size
    return spins, energies
