import jax
import jax.numpy as jnp


@jax.jit
def kernel(normals, spot, strike, rate, vol, years):
    paths, steps = normals.shape
    dt = years / steps
    moves = (rate - 0.5 * vol**2) * dt + vol * jnp.sqrt(dt) * normals
    path = spot * jnp.exp(jnp.cumsum(moves, axis=1))
    payoff = jnp.maximum(path.mean(axis=1) - strike, 0)
    return jnp.exp(-rate * years) * payoff.mean(), payoff.std() / jnp.sqrt(paths)
