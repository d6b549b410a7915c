"""One loop for the values; each block sums up groups of its own."""
import numpy as np
from numba import get_num_threads, njit, prange


@njit(parallel=True, error_model="numpy")
def kernel(x, xp, fp, groups, n_groups):
    n, last = x.size, xp.size - 1
    y = np.empty(n)
    between = np.empty(n)
    blocks = get_num_threads()
    sums = np.zeros((blocks, n_groups))
    largest = np.full((blocks, n_groups), -np.inf)
    for block in prange(blocks):
        for p in range(block * n // blocks, (block + 1) * n // blocks):
            v = x[p]
            i = min(max(np.searchsorted(xp, v) - 1, 0), last - 1)
            t = (v - xp[i]) / (xp[i + 1] - xp[i])
            value = fp[i] * (1 - t) + fp[i + 1] * t
            y[p] = value
            between[p] = fp[0] if v <= xp[0] else fp[last] if v >= xp[last] else value
            g = groups[p]
            sums[block, g] += value
            largest[block, g] = max(largest[block, g], value)
    for block in range(1, blocks):
        largest[0] = np.maximum(largest[0], largest[block])
    return y, sums.sum(axis=0), largest[0], between
