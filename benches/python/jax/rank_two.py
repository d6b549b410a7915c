import jax
import jax.numpy as jnp


@jax.jit
def kernel(a, u1, v1, u2, v2, x, y):
    a = a + jnp.outer(u1, v1) + jnp.outer(u2, v2)
    x = x + 1.2 * (y @ a)
    return a, x, 1.5 * (a @ x)
