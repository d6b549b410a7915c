import jax
import jax.numpy as jnp


@jax.jit
def kernel(x):
    e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
    return e / jnp.sum(e, axis=-1, keepdims=True)
