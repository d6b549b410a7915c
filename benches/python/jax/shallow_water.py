import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(h, u, v, steps, g=9.81, dt=0.01, dx=1.0):
    def step(t, state):
        h, u, v = state
        u = u - jnp.pad(g * dt / dx * (h[:, 1:] - h[:, :-1]), ((0, 0), (1, 1)))
        v = v - jnp.pad(g * dt / dx * (h[1:, :] - h[:-1, :]), ((1, 1), (0, 0)))
        h = h - dt / dx * 10.0 * (u[:, 1:] - u[:, :-1] + v[1:, :] - v[:-1, :])
        friction = jnp.where(t % 5 == 0, 0.999, 1.0)
        return h, u * friction, v * friction

    h, u, v = lax.fori_loop(0, steps, step, (h, u, v))
    return h.sum(), (u**2).sum() + (v**2).sum(), h, u, v
