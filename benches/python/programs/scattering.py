"""Self energies of electrons: many small complex products, summed over three indices."""
import numpy as np


def kernel(neighbours, dh, g, d, sigma):
    for k in range(g.shape[0]):
        for e in range(g.shape[1]):
            for q in range(d.shape[0]):
                for a in range(neighbours.shape[0]):
                    for b in range(neighbours.shape[1]):
                        for i in range(dh.shape[2]):
                            if e - q >= 0:
                                dhg = g[k, e - q, neighbours[a, b]] @ dh[a, b, i]
                                sigma[k, e, a] += dhg @ (dh[a, b, i] * d[q, a, b, i])


def arguments(n, rng):
    c = lambda *s: rng.random(s) + 1j * rng.random(s)
    nb, norb = 3, 2
    return rng.integers(0, n, (n, nb)), c(n, nb, 3, norb, norb), c(2, 4, n, norb, norb), c(3, n, nb, 3), np.zeros((2, 4, n, norb, norb), complex)


SIZES = {"test": 4, "bench": 40}
