import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(spins, numbers, beta):
    ii, jj = jnp.indices(spins.shape)

    def step(spins, r):
        for colour in (0, 1):
            neighbours = jnp.roll(spins, 1, 0) + jnp.roll(spins, -1, 0) + jnp.roll(spins, 1, 1) + jnp.roll(spins, -1, 1)
            flip = ((ii + jj) % 2 == colour) & (r < jnp.exp(-beta * (2 * spins * neighbours)))
            spins = jnp.where(flip, -spins, spins)
        return spins, -jnp.mean(spins * (jnp.roll(spins, 1, 0) + jnp.roll(spins, 1, 1)))

    return lax.scan(step, spins, numbers)
