import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(links, damping, tolerance):
    n = links.shape[0]
    out = links.sum(axis=1)
    weight = damping / jnp.where(out == 0, 1, out)

    def goes_on(state):
        return ~state[2] & (state[1] < 99)

    def step(state):
        rank, step, _ = state
        new = (1 - damping) / n + (rank * weight) @ links
        settled = jnp.abs(new - rank).sum() < tolerance
        return jnp.where(settled, rank, new), step + 1, settled

    return lax.while_loop(goes_on, step, (jnp.full(n, 1.0 / n), -1, False))[:2]
