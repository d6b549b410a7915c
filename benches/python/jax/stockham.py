import jax
import jax.numpy as jnp


@jax.jit
def kernel(x):
    n = x.shape[0]
    y = x.reshape(n, 1).astype(jnp.complex128)
    length = n
    while length > 1:
        half = length // 2
        twiddle = jnp.exp(-2j * jnp.pi * jnp.arange(half) / length).reshape(half, 1)
        top = y[:half]
        bottom = y[half:]
        y = jnp.concatenate((top + bottom, (top - bottom) * twiddle), axis=1)
        length = half
    return y.ravel()
