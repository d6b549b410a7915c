"""The Cholesky factor of a positive definite matrix, in place."""
import numpy as np


def kernel(a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


def arguments(n, rng):
    b = rng.random((n, n))
    return (b @ b.T + n * np.eye(n),)


SIZES = {"test": 15, "bench": 600}
