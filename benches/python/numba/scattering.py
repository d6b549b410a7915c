"""Each atom at each energy by itself, products of small matrices in loops."""
import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(neighbours, dh, g, d, sigma):
    nk, ne, atoms, norb, _ = g.shape
    for at in prange(nk * ne * atoms):
        k = at // (ne * atoms)
        e = at // atoms % ne
        a = at % atoms
        first = np.empty((norb, norb), np.complex128)
        for q in range(min(d.shape[0], e + 1)):
            for b in range(neighbours.shape[1]):
                green = g[k, e - q, neighbours[a, b]]
                for i in range(dh.shape[2]):
                    h = dh[a, b, i]
                    factor = d[q, a, b, i]
                    for x in range(norb):
                        for y in range(norb):
                            s = 0j
                            for z in range(norb):
                                s += green[x, z] * h[z, y]
                            first[x, y] = s * factor
                    for x in range(norb):
                        for y in range(norb):
                            s = 0j
                            for z in range(norb):
                                s += first[x, z] * h[z, y]
                            sigma[k, e, a, x, y] += s
