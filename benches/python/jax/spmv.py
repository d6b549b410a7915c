import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(start, column, value, x, b, steps):
    n = x.size
    row = jnp.repeat(jnp.arange(n), jnp.diff(start), total_repeat_length=value.size)

    def step(_, x):
        product = jax.ops.segment_sum(value * x[column], row, n, indices_are_sorted=True)
        return x + 0.1 * (b - product)

    return lax.fori_loop(0, steps, step, x)
