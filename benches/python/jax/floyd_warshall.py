import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(path):
    return lax.fori_loop(0, path.shape[0], lambda k, p: jnp.minimum(p, p[:, k, None] + p[k]), path)
