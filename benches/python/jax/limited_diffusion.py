import jax
import jax.numpy as jnp


@jax.jit
def kernel(f, out, k):
    lap = f[:, :-2, 1:-1] + f[:, 2:, 1:-1] + f[:, 1:-1, :-2] + f[:, 1:-1, 2:] - 4 * f[:, 1:-1, 1:-1]
    inner = f[:, 1:-1, 1:-1]
    fx = lap[:, 1:-1, 1:] - lap[:, 1:-1, :-1]
    fx = jnp.where(fx * (inner[:, 1:-1, 1:] - inner[:, 1:-1, :-1]) > 0, 0.0, fx)
    fy = lap[:, 1:, 1:-1] - lap[:, :-1, 1:-1]
    fy = jnp.where(fy * (inner[:, 1:, 1:-1] - inner[:, :-1, 1:-1]) > 0, 0.0, fy)
    return f[:, 2:-2, 2:-2] - k * (fx[:, :, 1:] - fx[:, :, :-1] + fy[:, 1:, :] - fy[:, :-1, :])
