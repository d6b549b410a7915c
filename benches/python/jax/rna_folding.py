"""All intervals of a length at once; `skewed[d, i]` is the best of the interval from i to i + d."""
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(strand):
    n = strand.size
    at = jnp.arange(n)

    def step(d, skewed):
        rest = skewed[(d - 1 - at)[:, None], jnp.minimum(at[:, None] + at + 1, n - 1)]
        split = jnp.where(at[:, None] < d, skewed + rest, 0).max(axis=0)
        inside = jnp.where(d > 2, skewed[d - 2, jnp.minimum(at + 1, n - 1)], 0)
        value = jnp.maximum(split, inside + (strand + jnp.roll(strand, -d) == 3))
        return skewed.at[d].set(jnp.where(at + d < n, value, 0))

    skewed = lax.fori_loop(1, n, step, jnp.zeros((n, n), jnp.int32))
    distance = at[None, :] - at[:, None]
    best = jnp.where(distance > 0, skewed[distance, at[:, None]], 0)
    return best[0, -1], best
