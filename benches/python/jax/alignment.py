"""A row at a time; gaps along it are a running maximum."""
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(a, b, match, mismatch, gap):
    ramp = gap * jnp.arange(b.size + 1)

    def row(previous, x):
        score = jnp.where(b == x, match, mismatch)
        best = jnp.maximum(0, jnp.maximum(previous[:-1] + score, previous[1:] + gap))
        current = lax.cummax(jnp.pad(best, (1, 0)) - ramp) + ramp
        return current, current

    h = lax.scan(row, jnp.zeros(b.size + 1, jnp.int64), a)[1]
    at = jnp.argmax(h)
    best = h.ravel()[at]
    return best, jnp.where(best > 0, at // (b.size + 1) + 1, 0), jnp.where(best > 0, at % (b.size + 1), 0)
