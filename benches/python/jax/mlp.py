import jax
import jax.numpy as jnp


@jax.jit
def kernel(x, w1, b1, w2, b2, w3, b3):
    x = jax.nn.relu(x @ w1 + b1)
    x = jax.nn.relu(x @ w2 + b2)
    return jax.nn.softmax(x @ w3 + b3)
