import jax


@jax.jit
def kernel(alpha, beta, a, b, x):
    return alpha * (a @ x) + beta * (b @ x)
