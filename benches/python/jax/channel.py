import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(u, dt, nu, force, tolerance):
    def goes_on(state):
        return (state[1] < 1000) & (state[2] > tolerance)

    def step(state):
        old, steps, _ = state
        right = jnp.roll(old, -1, axis=1)
        left = jnp.roll(old, 1, axis=1)
        inner = (old[1:-1] - dt * old[1:-1] * (old[1:-1] - left[1:-1])
                 + nu * dt * (right[1:-1] + left[1:-1] + old[2:] + old[:-2] - 4.0 * old[1:-1]) + force * dt)
        u = jnp.pad(inner, ((1, 1), (0, 0)))
        return u, steps + 1, jnp.abs(u - old).sum() / jnp.abs(u).sum()

    u, steps, change = lax.while_loop(goes_on, step, (u, 0, jnp.ones(())))
    return steps, change, u
