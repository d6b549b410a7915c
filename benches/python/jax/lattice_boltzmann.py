import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
W = np.array([4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36])
OPPOSITE = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])


@jax.jit
def kernel(f, obstacle, omega, steps):
    def step(_, state):
        f = jnp.stack([jnp.roll(state[0][i], (CY[i], CX[i]), axis=(0, 1)) for i in range(9)])
        rho = f.sum(axis=0)
        ux = sum(int(CX[i]) * f[i] for i in range(9) if CX[i]) / rho
        uy = sum(int(CY[i]) * f[i] for i in range(9) if CY[i]) / rho
        cu = 3.0 * (CX[:, None, None] * ux + CY[:, None, None] * uy)
        feq = rho * W[:, None, None] * (1 + cu + 0.5 * cu**2 - 1.5 * (ux**2 + uy**2))
        new = jnp.where(obstacle, f[OPPOSITE], f - omega * (f - feq))
        return new, rho, jnp.where(obstacle, 0.0, ux), jnp.where(obstacle, 0.0, uy)

    nothing = jnp.zeros(obstacle.shape)
    f, rho, ux, uy = lax.fori_loop(0, steps, step, (f, nothing, nothing, nothing))
    return rho, ux, uy, f
