from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


@partial(jax.jit, static_argnames="steps")
def kernel(x, y, w, rate, steps):
    def step(w, _):
        p = 1 / (1 + jnp.exp(-(x @ w)))
        loss = -jnp.mean(y * jnp.log(p + 1e-12) + (1 - y) * jnp.log(1 - p + 1e-12))
        return w - rate * ((p - y) @ x) / len(y), loss

    return lax.scan(step, w, length=steps)
