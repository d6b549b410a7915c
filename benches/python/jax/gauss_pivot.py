import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(a, b):
    n = b.size
    rows = jnp.arange(n)

    def eliminate(k, state):
        a, b = state
        p = jnp.argmax(jnp.where(rows >= k, jnp.abs(a[:, k]), -1.0))
        top, pivot = a[k], a[p]
        a = a.at[p].set(top).at[k].set(pivot)
        b = b.at[p].set(b[k]).at[k].set(b[p])
        m = jnp.where(rows > k, a[:, k] / pivot[k], 0.0)
        return a - m[:, None] * pivot, b - m * b[k]

    def substitute(at, x):
        k = n - 1 - at
        return x.at[k].set((b[k] - a[k] @ x) / a[k, k])

    a, b = lax.fori_loop(0, n - 1, eliminate, (a, b))
    return lax.fori_loop(0, n, substitute, jnp.zeros(n))
