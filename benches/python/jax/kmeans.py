import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(points, centres, steps):
    def step(_, state):
        _, centres = state
        d = jnp.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2)
        labels = jnp.argmin(d, axis=1)
        members = (labels[:, None] == jnp.arange(centres.shape[0])).astype(points.dtype)
        counts = members.sum(axis=0)[:, None]
        return labels, jnp.where(counts > 0, members.T @ points / counts, centres)

    return lax.fori_loop(0, steps, step, (jnp.zeros(points.shape[0], jnp.int64), centres))
