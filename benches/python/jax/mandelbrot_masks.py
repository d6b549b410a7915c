from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


@partial(jax.jit, static_argnames=("xn", "yn"))
def kernel(xmin, xmax, ymin, ymax, xn, yn, maxiter, horizon=2.0):
    cx = jnp.linspace(xmin, xmax, xn)[None, :]
    cy = jnp.linspace(ymin, ymax, yn)[:, None]

    def step(n, state):
        x, y, count = state
        moving = x * x + y * y < horizon * horizon
        return (jnp.where(moving, x * x - y * y + cx, x), jnp.where(moving, 2 * x * y + cy, y), jnp.where(moving, n, count))

    nothing = jnp.zeros((yn, xn))
    x, y, count = lax.fori_loop(0, maxiter, step, (nothing, nothing, jnp.zeros((yn, xn), jnp.int64)))
    return lax.complex(x, y), jnp.where(count == maxiter - 1, 0, count)
