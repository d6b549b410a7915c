import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(l, x, b):
    return lax.fori_loop(0, x.size, lambda i, x: x.at[i].set((b[i] - l[i] @ x) / l[i, i]), jnp.zeros_like(x))
