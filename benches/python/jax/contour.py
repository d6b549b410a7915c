import jax
import jax.numpy as jnp


@jax.jit
def kernel(terms, points, weights, y):
    powers = points[:, None] ** (jnp.arange(terms.shape[0]) - 1)
    x = jnp.einsum("zk,kij->zij", powers, terms) @ y
    w = jnp.where(jnp.abs(points) < 1.0, -weights, weights)
    return jnp.einsum("z,zij->ij", w, x), jnp.einsum("z,zij->ij", points * w, x)
