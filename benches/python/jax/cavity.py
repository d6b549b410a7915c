import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def kernel(psi, omega, steps, sweeps, dt, re, lid=1.0):
    h = 1.0 / (psi.shape[0] - 1)

    def step(_, state):
        psi, omega = state

        def sweep(_, psi):
            inner = 0.25 * (psi[2:, 1:-1] + psi[:-2, 1:-1] + psi[1:-1, 2:] + psi[1:-1, :-2] + h * h * omega[1:-1, 1:-1])
            return psi.at[1:-1, 1:-1].set(inner)

        psi = lax.fori_loop(0, sweeps, sweep, psi)
        omega = omega.at[0, :].set(-2 * psi[1, :] / h**2)
        omega = omega.at[-1, :].set(-2 * psi[-2, :] / h**2 - 2 * lid / h)
        omega = omega.at[:, 0].set(-2 * psi[:, 1] / h**2)
        omega = omega.at[:, -1].set(-2 * psi[:, -2] / h**2)
        u = (psi[2:, 1:-1] - psi[:-2, 1:-1]) / (2 * h)
        v = -(psi[1:-1, 2:] - psi[1:-1, :-2]) / (2 * h)
        wx = (omega[1:-1, 2:] - omega[1:-1, :-2]) / (2 * h)
        wy = (omega[2:, 1:-1] - omega[:-2, 1:-1]) / (2 * h)
        lap = (omega[2:, 1:-1] + omega[:-2, 1:-1] + omega[1:-1, 2:] + omega[1:-1, :-2] - 4 * omega[1:-1, 1:-1]) / h**2
        return psi, omega.at[1:-1, 1:-1].add(dt * (lap / re - u * wx - v * wy))

    psi, omega = lax.fori_loop(0, steps, step, (psi, omega))
    return jnp.max(jnp.abs(psi)), psi, omega
