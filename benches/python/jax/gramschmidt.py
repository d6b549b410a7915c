"""On the transposed matrix, whose rows are contiguous; all later rows at once."""
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(a):
    n = a.shape[1]

    def step(k, state):
        rows, q, r = state
        norm = jnp.sqrt(rows[k] @ rows[k])
        unit = rows[k] / norm
        later = jnp.where(jnp.arange(n) > k, rows @ unit, 0.0)
        return rows - later[:, None] * unit, q.at[k].set(unit), r.at[k].set(later.at[k].set(norm))

    rows, q, r = lax.fori_loop(0, n, step, (a.T, jnp.zeros(a.shape[::-1]), jnp.zeros((n, n))))
    return q.T, r, rows.T
