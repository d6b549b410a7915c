"""Loss and gradient in one loop over blocks of rows."""
import math

import numpy as np
from numba import get_num_threads, njit, prange


@njit(parallel=True, fastmath=True, error_model="numpy")
def kernel(x, y, w, rate, steps):
    n, m = x.shape
    losses = np.zeros(steps)
    w = w.copy()
    blocks = get_num_threads()
    gradient = np.empty((blocks, m))
    for step in range(steps):
        loss = 0.0
        for block in prange(blocks):
            own = np.zeros(m)
            part = 0.0
            for i in range(block * n // blocks, (block + 1) * n // blocks):
                s = 0.0
                for j in range(m):
                    s += x[i, j] * w[j]
                p = 1 / (1 + math.exp(-s))
                part += y[i] * math.log(p + 1e-12) + (1 - y[i]) * math.log(1 - p + 1e-12)
                for j in range(m):
                    own[j] += x[i, j] * (p - y[i])
            gradient[block] = own
            loss += part
        losses[step] = -loss / n
        w -= rate * gradient.sum(axis=0) / n
    return w, losses
