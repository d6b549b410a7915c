import jax


@jax.jit
def kernel(alpha, beta, a, b, c, d):
    d = alpha * (a @ b @ c) + beta * d
    return (a @ b) @ (c @ d.T), d
