import jax
import jax.numpy as jnp


@jax.jit
def kernel(a, c4):
    b = jnp.einsum("rqs,sp->rqp", a, c4)
    a = a @ c4
    return b - a, jnp.tensordot(a, c4, axes=1).sum(axis=(0, 1)), a
