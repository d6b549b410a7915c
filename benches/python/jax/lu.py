import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(a, b):
    n = a.shape[0]
    at = jnp.arange(n)

    def eliminate(k, a):
        factors = jnp.where(at > k, a[:, k] / a[k, k], 0.0)
        a = a - factors[:, None] * jnp.where(at > k, a[k], 0.0)
        return a.at[:, k].set(jnp.where(at > k, factors, a[:, k]))

    def forth(i, y):
        return y.at[i].set(b[i] - a[i] @ y)

    def back(step, x):
        i = n - 1 - step
        return x.at[i].set((y[i] - a[i] @ x) / a[i, i])

    a = lax.fori_loop(0, n - 1, eliminate, a)
    y = lax.fori_loop(0, n, forth, jnp.zeros_like(b))
    return lax.fori_loop(0, n, back, jnp.zeros_like(b)), y, a
