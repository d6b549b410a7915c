import jax
import jax.numpy as jnp


@jax.jit
def kernel(image, values, weights):
    counts, edges = jnp.histogram(values, bins=16, range=(0.0, 1.0), weights=weights)
    cdf = jnp.cumsum(jnp.bincount(image.ravel(), length=256))
    table = jnp.round((cdf - cdf.min()) / (image.size - cdf.min()) * 255).astype(jnp.uint8)
    return counts, edges, table[image]
