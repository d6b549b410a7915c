"""A column at a time, from products with the columns before it."""
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(a):
    n = a.shape[0]

    def column(j, l):
        c = a[:, j] - l @ l[j]
        c = jnp.where(jnp.arange(n) >= j, c / jnp.sqrt(c[j]), 0.0)
        return l.at[:, j].set(c)

    return lax.fori_loop(0, n, column, jnp.zeros_like(a)) + jnp.triu(a, 1)
