from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


@partial(jax.jit, static_argnames="window")
def kernel(x, window):
    c = jnp.pad(jnp.cumsum(x), (1, 0))
    peak = lax.cummax(x)
    drawdown = (peak - x) / peak
    returns = jnp.diff(x) / x[:-1]
    return (c[window:] - c[:-window]) / window, drawdown.max(), jnp.argmax(drawdown), returns.std()
