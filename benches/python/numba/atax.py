"""One pass over the matrix for all four products; each block of rows has sums of its own."""
import numpy as np
from numba import get_num_threads, njit, prange


@njit(parallel=True, fastmath=True)
def kernel(a, x, p, r):
    n, m = a.shape
    blocks = get_num_threads()
    ata = np.zeros((blocks, m))
    ra = np.zeros((blocks, m))
    ap = np.empty(n)
    for block in prange(blocks):
        one, two = ata[block], ra[block]
        for i in range(block * n // blocks, (block + 1) * n // blocks):
            row = a[i]
            ax = 0.0
            s = 0.0
            for j in range(m):
                ax += row[j] * x[j]
                s += row[j] * p[j]
            ap[i] = s
            ri = r[i]
            for j in range(m):
                one[j] += ax * row[j]
                two[j] += ri * row[j]
    return ata.sum(axis=0), ra.sum(axis=0), ap
