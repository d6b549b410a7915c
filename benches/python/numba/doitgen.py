"""Products of matrices, as Numba has neither einsum nor products of more axes."""
import numpy as np
from numba import njit


@njit(parallel=True, fastmath=True)
def kernel(a, c4):
    nr, nq, np_ = a.shape
    flat = a.reshape(nr * nq, np_)
    b = flat @ c4
    flat[:] = flat @ c4
    return (b - flat).reshape(nr, nq, np_), (flat @ c4).sum(axis=0)
