"""All points at once, until none moves."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


@partial(jax.jit, static_argnames=("width", "height"))
def kernel(width, height, c, limit):
    x = jnp.broadcast_to(-1.6 + 3.2 * jnp.arange(width) / width, (height, width))
    y = jnp.broadcast_to((-1.2 + 2.4 * jnp.arange(height) / height)[:, None], (height, width))
    cx, cy = jnp.real(c), jnp.imag(c)

    def goes_on(state):
        return (state[0] < limit) & state[4].any()

    def step(state):
        k, x, y, steps, moving = state
        x, y = jnp.where(moving, x * x - y * y + cx, x), jnp.where(moving, 2 * x * y + cy, y)
        return k + 1, x, y, steps + moving, moving & (x * x + y * y <= 4.0)

    steps = jnp.zeros((height, width), jnp.uint8)
    return lax.while_loop(goes_on, step, (0, x, y, steps, x * x + y * y <= 4.0))[3]
