import jax
import jax.numpy as jnp


@jax.jit
def kernel(neighbours, dh, g, d, sigma):
    energies = g.shape[1]
    dhg = jnp.einsum("keabxy,abiyz->keabixz", g[:, :, neighbours], dh)
    for q in range(d.shape[0]):
        part = jnp.einsum("keabixz,abizw->keaxw", dhg[:, :energies - q], dh * d[q, ..., None, None])
        sigma = sigma.at[:, q:].add(part)
    return sigma
