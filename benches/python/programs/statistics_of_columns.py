"""Covariances and correlations between columns, columns without spread left as they are."""
import numpy as np


def kernel(data):
    n = data.shape[0]
    centred = data - data.mean(axis=0, keepdims=True)
    cov = centred.T @ centred / (n - 1)
    deviation = data.std(axis=0, ddof=1)
    deviation[deviation < 1e-9] = 1.0
    corr = cov / np.outer(deviation, deviation)
    np.fill_diagonal(corr, 1.0)
    return cov, corr


def arguments(n, rng):
    data = rng.random((n + 8, n))
    data[:, n // 2] = 0.25
    return (data,)


SIZES = {"test": 12, "bench": 1200}
