import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(previous, current, c2, damping, steps):
    def step(_, state):
        previous, current = state
        lap = (jnp.roll(current, 1, 0) + jnp.roll(current, -1, 0) + jnp.roll(current, 1, 1) + jnp.roll(current, -1, 1)
               - 4 * current)
        return current, (2 - damping) * current - (1 - damping) * previous + c2 * lap

    _, current = lax.fori_loop(0, steps, step, (previous, current))
    return current, jnp.abs(current).max()
