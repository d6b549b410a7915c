import numpy as np
from numexpr import evaluate


def kernel(points, centres, steps):
    labels = np.zeros(points.shape[0], dtype=np.int64)
    p = points[:, None, :]
    for _ in range(steps):
        c = centres[None, :, :]
        labels = np.argmin(evaluate("sum((p - c) ** 2, axis=2)"), axis=1)
        for k in range(centres.shape[0]):
            mask = labels == k
            if mask.any():
                centres[k] = points[mask].mean(axis=0)
    return labels
