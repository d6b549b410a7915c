import jax
import jax.numpy as jnp


@jax.jit
def kernel(data):
    n = data.shape[0]
    centred = data - data.mean(axis=0, keepdims=True)
    cov = centred.T @ centred / (n - 1)
    deviation = data.std(axis=0, ddof=1)
    deviation = jnp.where(deviation < 1e-9, 1.0, deviation)
    corr = cov / jnp.outer(deviation, deviation)
    return cov, jnp.fill_diagonal(corr, 1.0, inplace=False)
