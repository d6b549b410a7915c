import jax


@jax.jit
def kernel(a, x, p, r):
    return (a @ x) @ a, r @ a, a @ p
