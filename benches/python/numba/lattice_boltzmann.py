"""A row at a time: the nine densities move into a buffer, collide there and go into the other array."""
import numpy as np
from numba import njit, prange

CX = (0, 1, 0, -1, 0, 1, -1, -1, 1)
CY = (0, 0, 1, 0, -1, 1, 1, -1, -1)
W = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)
OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)


@njit(parallel=True, fastmath=True, error_model="numpy")
def step(f, out, obstacle, omega, rho, ux, uy):
    ny, nx = obstacle.shape
    for y in prange(ny):
        g = np.empty((9, nx))
        for q in range(9):
            source = f[q, (y - CY[q]) % ny]
            shift = CX[q]
            if shift == 1:
                g[q, 0] = source[nx - 1]
            elif shift == -1:
                g[q, nx - 1] = source[0]
            for x in range(max(shift, 0), nx + min(shift, 0)):
                g[q, x] = source[x - shift]
        for x in range(nx):
            r = g[0, x] + g[1, x] + g[2, x] + g[3, x] + g[4, x] + g[5, x] + g[6, x] + g[7, x] + g[8, x]
            rho[y, x] = r
            ux[y, x] = (g[1, x] - g[3, x] + g[5, x] - g[6, x] - g[7, x] + g[8, x]) / r
            uy[y, x] = (g[2, x] - g[4, x] + g[5, x] + g[6, x] - g[7, x] - g[8, x]) / r
        for q in range(9):
            w, cx, cy = W[q], CX[q], CY[q]
            for x in range(nx):
                u, v = ux[y, x], uy[y, x]
                cu = 3.0 * (cx * u + cy * v)
                feq = rho[y, x] * w * (1 + cu + 0.5 * cu * cu - 1.5 * (u * u + v * v))
                out[q, y, x] = g[OPPOSITE[q], x] if obstacle[y, x] else g[q, x] - omega * (g[q, x] - feq)
        for x in range(nx):
            if obstacle[y, x]:
                ux[y, x] = 0.0
                uy[y, x] = 0.0


@njit(fastmath=True, error_model="numpy")
def kernel(f, obstacle, omega, steps):
    given = f
    out = np.empty_like(f)
    rho = np.empty(obstacle.shape)
    ux = np.empty(obstacle.shape)
    uy = np.empty(obstacle.shape)
    for _ in range(steps):
        step(f, out, obstacle, omega, rho, ux, uy)
        f, out = out, f
    if steps % 2:
        given[:] = f
    return rho, ux, uy
