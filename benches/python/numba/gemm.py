"""The product by BLAS, scaled where it is added."""
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def kernel(alpha, beta, c, a, b):
    product = a @ b
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = alpha * product[i, j] + beta * c[i, j]
