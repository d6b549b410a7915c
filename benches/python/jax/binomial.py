"""Levels of the tree keep their full length; what lies beyond their end does not reach the root."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


@partial(jax.jit, static_argnames="steps")
def kernel(spot, strike, rate, vol, years, steps):
    dt = years / steps
    up = jnp.exp(vol * jnp.sqrt(dt))
    down = 1 / up
    p = (jnp.exp(rate * dt) - down) / (up - down)
    discount = jnp.exp(-rate * dt)
    prices = spot * up ** jnp.arange(steps, -steps - 1, -2)

    def level(_, state):
        value, prices = state
        prices = prices * down
        after = jnp.append(value[1:], 0.0)
        return jnp.maximum(discount * (p * value + (1 - p) * after), strike - prices), prices

    value, _ = lax.fori_loop(0, steps, level, (jnp.maximum(strike - prices, 0.0), prices))
    return value[0]
