"""Scans over levels, which lie on the first axis for them."""
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(field, diffusivity, dz, dt):
    f = jnp.moveaxis(field, 2, 0)
    d = jnp.moveaxis(diffusivity, 2, 0)
    flow = dt / dz**2 * 0.5 * (d[1:] + d[:-1])
    nothing = jnp.zeros((1, *f.shape[1:]))

    def down(above, at):
        f, from_above, to_below = at
        pivot = 1.0 / (1.0 + to_below + from_above + from_above * above[0])
        here = -to_below * pivot, (f + from_above * above[1]) * pivot
        return here, here

    def up(below, at):
        here = at[1] - at[0] * below
        return here, here

    flows = f, jnp.concatenate((nothing, flow)), jnp.concatenate((flow, nothing))
    _, (upper, work) = lax.scan(down, (nothing[0], nothing[0]), flows)
    return jnp.moveaxis(lax.scan(up, nothing[0], (upper, work), reverse=True)[1], 0, 2)
