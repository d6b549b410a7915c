"""One pass with histograms for each block of rows. Rounding decides on rings, so it is kept strict."""
import numpy as np
from numba import get_num_threads, njit, prange


@njit(parallel=True, error_model="numpy")
def kernel(data, radius, bins):
    n, m = data.shape
    rmax = radius.max()
    edges = np.empty(bins + 1)
    for i in range(bins + 1):
        edges[i] = rmax * i / bins
    blocks = get_num_threads()
    sums = np.zeros((blocks, bins))
    counts = np.zeros((blocks, bins), np.int64)
    ring_sums = np.zeros((blocks, bins + 1))
    ring_counts = np.zeros((blocks, bins + 1), np.int64)
    for block in prange(blocks):
        for i in range(block * n // blocks, (block + 1) * n // blocks):
            for j in range(m):
                r = radius[i, j]
                k = min(int(r / rmax * bins), bins - 1)
                sums[block, k] += data[i, j]
                counts[block, k] += 1
                while k > 0 and r < edges[k]:
                    k -= 1
                while k < bins and r >= edges[k + 1]:
                    k += 1
                ring_sums[block, k] += data[i, j]
                ring_counts[block, k] += 1
    total = sums.sum(axis=0) / np.maximum(counts.sum(axis=0), 1)
    by_ring = ring_sums.sum(axis=0) / np.maximum(ring_counts.sum(axis=0), 1)
    return total, by_ring[:bins]
