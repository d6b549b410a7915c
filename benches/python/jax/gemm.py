import jax


@jax.jit
def kernel(alpha, beta, c, a, b):
    return alpha * (a @ b) + beta * c
