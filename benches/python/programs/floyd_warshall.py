"""All shortest paths, with the outer minimum of a row and a column."""
import numpy as np


def kernel(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, np.add.outer(path[:, k], path[k, :]))


def arguments(n, rng):
    path = rng.integers(1, 100, (n, n)).astype(np.int32)
    path[np.arange(n), np.arange(n)] = 0
    return (path,)


SIZES = {"test": 15, "bench": 600}
