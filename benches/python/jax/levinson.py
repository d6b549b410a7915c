"""Windows of reversed vectors that zeros follow, so that all steps have one length."""
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(r):
    n = r.size - 1
    reversed_r = jnp.append(r[::-1], jnp.zeros(n))

    def step(k, state):
        a, error = state
        reflection = -(a @ lax.dynamic_slice(reversed_r, (n - k,), (n + 1,))) / error
        mirrored = lax.dynamic_slice(jnp.append(a[::-1], jnp.zeros(n)), (n - k,), (n + 1,))
        return a + reflection * mirrored, error * (1 - reflection * reflection)

    return lax.fori_loop(1, n + 1, step, (jnp.zeros(n + 1).at[0].set(1.0), r[0]))
