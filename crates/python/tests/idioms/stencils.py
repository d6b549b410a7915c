"""Stencils, fluids and waves."""

import math

import numpy as np

from . import case

G = 9.81


@case(lambda r: (r.random((7, 8)), 4))
def seidel(A, steps):
    N, M = A.shape
    for t in range(steps - 1):
        for i in range(1, N - 1):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, M - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


@case(lambda r: (3, r.random((5, 6, 7)), r.random((5, 6, 7))))
def heat_3d(TSTEPS, A, B):
    for t in range(1, TSTEPS):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, 0:-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A, B = B, A
    return A


@case(lambda r: (2, r.random((6, 6))))
def alternating_directions(steps, u):
    N = u.shape[0]
    v = np.empty(u.shape, dtype=u.dtype)
    p = np.empty(u.shape, dtype=u.dtype)
    q = np.empty(u.shape, dtype=u.dtype)
    DX, DT = 1.0 / N, 1.0 / steps
    mul = 2.0 * DT / (DX * DX)
    a = -mul / 2.0
    b = 1.0 + mul
    c = d = a
    for t in range(1, steps + 1):
        v[0, 1 : N - 1] = 1.0
        p[1 : N - 1, 0] = 0.0
        q[1 : N - 1, 0] = v[0, 1 : N - 1]
        for j in range(1, N - 1):
            p[1 : N - 1, j] = -c / (a * p[1 : N - 1, j - 1] + b)
            q[1 : N - 1, j] = (
                -d * u[j, 0 : N - 2] + (1.0 + 2.0 * d) * u[j, 1 : N - 1] - d * u[j, 2:N] - a * q[1 : N - 1, j - 1]
            ) / (a * p[1 : N - 1, j - 1] + b)
        v[N - 1, 1 : N - 1] = 1.0
        for j in range(N - 2, 0, -1):
            v[j, 1 : N - 1] = p[1 : N - 1, j] * v[j + 1, 1 : N - 1] + q[1 : N - 1, j]
    return v[1:-1, 1:-1]


@case(lambda r: (r.random((5, 6)), r.random((5, 6)), r.random((5, 6)), np.arange(4.0)))
def fdtd(ex, ey, hz, fict):
    for t in range(len(fict)):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


@case(lambda r: (0.25, r.random((6, 7))))
def deriche(alpha, imgIn):
    k = (1.0 - math.exp(-alpha)) * (1.0 - math.exp(-alpha)) / (1.0 + alpha * math.exp(-alpha) - math.exp(2.0 * alpha))
    a1 = a5 = k
    a2 = a6 = k * math.exp(-alpha) * (alpha - 1.0)
    b1 = 2.0 ** (-alpha)
    b2 = -math.exp(-2.0 * alpha)
    c1 = c2 = 1
    y1 = np.empty_like(imgIn)
    y1[:, 0] = a1 * imgIn[:, 0]
    y1[:, 1] = a1 * imgIn[:, 1] + a2 * imgIn[:, 0] + b1 * y1[:, 0]
    for j in range(2, imgIn.shape[1]):
        y1[:, j] = a1 * imgIn[:, j] + a2 * imgIn[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2 = np.empty_like(imgIn)
    y2[:, -1] = 0.0
    y2[:, -2] = a5 * imgIn[:, -1]
    for j in range(imgIn.shape[1] - 3, -1, -1):
        y2[:, j] = a5 * imgIn[:, j + 1] + a6 * imgIn[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    return c1 * (y1 + y2), c2


def build_up_b(rho, dt, dx, dy, u, v):
    b = np.zeros_like(u)
    b[1:-1, 1:-1] = rho * (
        1 / dt * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) + (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))
        - ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)) ** 2
    )
    b[1:-1, -1] = rho * (u[1:-1, 0] - u[1:-1, -2]) / (2 * dx)
    return b


def pressure_poisson(nit, p, dx, dy, b):
    pn = np.empty_like(p)
    pn = p.copy()
    for q in range(nit):
        pn = p.copy()
        p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2) / (
            2 * (dx**2 + dy**2)
        ) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


@case(lambda r: (3, 4, np.zeros((6, 7)), np.zeros((6, 7)), 0.001, np.zeros((6, 7)), 1.0))
def cavity(nt, nit, u, v, dt, p, rho, nu=0.1):
    ny, nx = u.shape
    dx = 2 / (nx - 1)
    dy = 2 / (ny - 1)
    un = np.empty_like(u)
    for n in range(nt):
        un = u.copy()
        b = build_up_b(rho, dt, dx, dy, u, v)
        pressure_poisson(nit, p, dx, dy, b)
        u[1:-1, 1:-1] = un[1:-1, 1:-1] - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2]) + nu * dt / dx**2 * (
            un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2]
        )
        u[0, :] = 0
        u[-1, :] = 1
    return u, v, p


@case(lambda r: (10, r.random((6, 6)), 1e-3))
def channel_until_steady(n, u, tol):
    udiff = 1
    stepcount = 0
    while udiff > tol:
        un = u.copy()
        u[1:-1, 1:-1] = 0.25 * (un[2:, 1:-1] + un[:-2, 1:-1] + un[1:-1, 2:] + un[1:-1, :-2])
        u[1:-1, -1] = 0.5 * (un[1:-1, 0] + un[1:-1, -2])
        udiff = (np.sum(u) - np.sum(un)) / np.sum(u)
        udiff = abs(udiff)
        stepcount += 1
        if stepcount >= n:
            break
    return stepcount, udiff


@case(lambda r: ((r.random((8, 9)) > 0.6).astype(np.uint8), 3))
def life_by_roll(board, generations):
    for _ in range(generations):
        neighbours = sum(
            np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i != 0 or j != 0)
        )
        board = (neighbours == 3) | (board & (neighbours == 2))
    return board


@case(lambda r: (r.random((8, 9)) > 0.6, 2))
def life_by_padding(world, n):
    for step in range(n):
        padded = np.pad(world.astype(int), 1, mode="wrap")
        count = np.zeros_like(world, dtype=int)
        for dy in range(3):
            for dx in range(3):
                if dy == 1 and dx == 1:
                    continue
                count += padded[dy : dy + world.shape[0], dx : dx + world.shape[1]]
        birth = ~world & (count == 3)
        survive = world & ((count == 2) | (count == 3))
        world = np.logical_or(birth, survive)
    return world


@case(lambda r: ((r.random((7, 7)) > 0.5).astype(int),))
def life_in_place(Z):
    N = (
        Z[0:-2, 0:-2] + Z[0:-2, 1:-1] + Z[0:-2, 2:] + Z[1:-1, 0:-2] + Z[1:-1, 2:] + Z[2:, 0:-2] + Z[2:, 1:-1] + Z[2:, 2:]
    )
    birth = (N == 3) & (Z[1:-1, 1:-1] == 0)
    survive = ((N == 2) | (N == 3)) & (Z[1:-1, 1:-1] == 1)
    Z[...] = 0
    Z[1:-1, 1:-1][birth | survive] = 1
    return Z


@case(lambda r: (np.zeros(20), np.exp(-((np.arange(20.0) - 5) ** 2)), 0.5, 12))
def wave_with_windows(previous, current, c, steps):
    """Three time levels."""
    following = np.empty(current.shape)
    for _ in range(steps):
        following[1:-1] = 2 * current[1:-1] - previous[1:-1] + c**2 * np.diff(current, n=2)
        following[0] = following[-1] = 0.0
        previous, current, following = current, following, previous
    return current


@case(lambda r: (r.random((6, 7)), r.random((6, 7)), r.random((6, 7)) + 1, 0.01))
def shallow_water(u, v, h, dt):
    dudx = np.gradient(u, axis=1)
    dvdy = np.gradient(v, axis=0)
    hy, hx = np.gradient(h)
    u -= dt * G * hx
    v -= dt * G * hy
    h -= dt * h * (dudx + dvdy)
    return 0.5 * (u**2 + v**2).mean() + G * h.mean()


@case(lambda r: (r.random((6, 6)), r.random((6, 6)), 5))
def gray_scott(U, V, steps, Du=0.16, Dv=0.08, F=0.035, k=0.065):
    u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]
    for i in range(steps):
        Lu = U[0:-2, 1:-1] + U[1:-1, 0:-2] - 4 * U[1:-1, 1:-1] + U[1:-1, 2:] + U[2:, 1:-1]
        Lv = V[0:-2, 1:-1] + V[1:-1, 0:-2] - 4 * V[1:-1, 1:-1] + V[1:-1, 2:] + V[2:, 1:-1]
        uvv = u * v * v
        u += Du * Lu - uvv + F * (1 - u)
        v += Dv * Lv + uvv - (F + k) * v
    return U


def laplacian(Z):
    Ztop = Z[0:-2, 1:-1]
    Zleft = Z[1:-1, 0:-2]
    Zbottom = Z[2:, 1:-1]
    Zright = Z[1:-1, 2:]
    Zcenter = Z[1:-1, 1:-1]
    return (Ztop + Zleft + Zbottom + Zright - 4 * Zcenter) / 0.02**2


@case(lambda r: (r.random((7, 7)), r.random((7, 7)), 4))
def turing(U, V, n):
    for _ in range(n):
        deltaU = laplacian(U)
        deltaV = laplacian(V)
        Uc = U[1:-1, 1:-1]
        Vc = V[1:-1, 1:-1]
        U[1:-1, 1:-1], V[1:-1, 1:-1] = (
            Uc + 1e-4 * (2.8e-4 * deltaU + Uc - Uc**3 - Vc - 0.005),
            Vc + 1e-4 * (5e-3 * deltaV + Uc - Vc) / 0.1,
        )
        for Z in (U, V):
            Z[0, :] = Z[1, :]
            Z[-1, :] = Z[-2, :]
            Z[:, 0] = Z[:, 1]
            Z[:, -1] = Z[:, -2]


@case(lambda r: (r.random((5, 6, 4)), r.random((5, 6, 4)), r.random((5, 6)), r.random((5, 6, 4)), r.random((5, 6, 4))))
def vertical_advection(utens, wcon, rate, ccol, dcol):
    I, J, K = utens.shape
    data_col = np.ndarray((I, J), dtype=utens.dtype)
    for k in range(1):
        gcv = 0.25 * (wcon[:, :, k + 1] + wcon[:, :, k])
        ccol[:, :, k] = gcv * rate
        dcol[:, :, k] = utens[:, :, k] / (1.0 + ccol[:, :, k])
    for k in range(1, K):
        divided = 1.0 / (2.0 + gcv - ccol[:, :, k - 1] * rate)
        ccol[:, :, k] *= divided
        dcol[:, :, k] = (dcol[:, :, k] - dcol[:, :, k - 1]) * divided
    for k in range(K - 1, K - 2, -1):
        datacol = dcol[:, :, k]
        data_col[:] = datacol
    for k in range(K - 2, -1, -1):
        datacol = dcol[:, :, k] - ccol[:, :, k] * data_col[:, :]
        data_col[:] = datacol
        utens[:, :, k] = datacol[:]


@case(lambda r: (r.random((9, 8, 2)),))
def limited_diffusion(field):
    lap = 4.0 * field[1:-1, 1:-1, :] - (field[2:, 1:-1, :] + field[:-2, 1:-1, :] + field[1:-1, 2:, :] + field[1:-1, :-2, :])
    res = lap[1:, 1:-1] - lap[:-1, 1:-1]
    flx = np.where((res * (field[2:-1, 2:-2, :] - field[1:-2, 2:-2, :])) > 0, 0, res)
    return flx[1:] - flx[:-1]


@case(lambda r: (r.random((4, 4, 9)), 3, 0.6))
def lattice_boltzmann(f, steps, tau):
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    for _ in range(steps):
        for i, (x, y) in enumerate(zip(cx, cy)):
            f[:, :, i] = np.roll(f[:, :, i], x, axis=1)
            f[:, :, i] = np.roll(f[:, :, i], y, axis=0)
        rho = np.sum(f, 2)
        ux = np.sum(f * cx, 2) / rho
        uy = np.sum(f * cy, 2) / rho
        feq = np.zeros(f.shape)
        for i, x, y, weight in zip(range(9), cx, cy, w):
            cu = x * ux + y * uy
            feq[:, :, i] = rho * weight * (1 + 3 * cu + 9 * cu**2 / 2 - 3 * (ux**2 + uy**2) / 2)
        f += -(1.0 / tau) * (f - feq)
    return rho


@case(lambda r: (r.random(12), r.random(12)))
def upwind(q, c):
    flux = np.where(c[1:] > 0, c[1:] * q[:-1], c[1:] * q[1:])
    q[1:-1] -= 0.1 * (flux[1:] - flux[:-1])
    r = np.divide(q[1:] - q[:-1], c[:-1], out=np.zeros_like(c[:-1]), where=c[:-1] > 0.5)
    phi = np.maximum(0, np.minimum(2 * r, np.minimum((1 + r) / 2, 2)))
    return np.clip(phi, None, 1.5)


@case(lambda r: (r.random((8, 8)), 2))
def red_black(u, sweeps):
    for _ in range(sweeps):
        for colour in range(2):
            for i in range(1, u.shape[0] - 1):
                j0 = 1 + (i + colour) % 2
                u[i, j0:-1:2] = 0.25 * (u[i - 1, j0:-1:2] + u[i + 1, j0:-1:2] + u[i, j0 - 1 : -2 : 2] + u[i, j0 + 1 :: 2])
    return u


@case(lambda r: (r.random(17), 3))
def multigrid_restrict(v, levels):
    total = 0.0
    for level in range(levels):
        coarse = v[::2].copy()
        coarse[1:-1] = 0.25 * v[1:-2:2] + 0.5 * v[2:-1:2] + 0.25 * v[3::2]
        total += coarse.sum()
        v = coarse
    return v, total


@case(lambda r: (r.random((5, 6)), 1e-2, 9), lambda r: (r.random((4, 3, 5)), 1e-2, 9), lambda r: (r.random(7), -1.0, 3))
def relaxed_along_all_axes(a, eps, most):
    steps = 0
    while steps < most:
        before = a
        total = a
        for axis in range(a.ndim):
            total = total + np.roll(a, 1, axis) + np.roll(a, -1, axis)
        a = total / (2 * a.ndim + 1)
        steps += 1
        if not (np.abs(a - before) > eps).any():
            break
    return a, steps


@case(lambda r: (r.random((6, 8, 4)),))
def halved_along_axes(a):
    for axis in range(2):
        a = a.mean(axis=0) if axis else a[::2]
    for k in range(3):
        a = a + np.expand_dims(a, 0).sum(axis=0) * k
    return a


@case(lambda r: tuple(r.random((5, 9)) + 1.0 for _ in range(4)), lambda r: tuple(r.random((1, 2)) + 1.0 for _ in range(4)))
def systems_by_columns(lower, diagonal, upper, right):
    diagonal, right = diagonal.copy(), right.copy()
    n = diagonal.shape[1]
    for i in range(1, n):
        w = lower[:, i] / diagonal[:, i - 1]
        diagonal[:, i] -= w * upper[:, i - 1]
        right[:, i] -= w * right[:, i - 1]
    right[:, n - 1] /= diagonal[:, n - 1]
    for i in range(n - 2, -1, -1):
        right[:, i] = (right[:, i] - upper[:, i] * right[:, i + 1]) / diagonal[:, i]
    return right


@case(lambda r: (r.random((4, 5, 8)), r.random((4, 5, 8)) + 1.0))
def swept_upwards(a, b):
    for k in range(1, a.shape[2]):
        a[:, :, k] = (a[:, :, k] - a[:, :, k - 1]) / b[:, :, k]
        b[:, :, k] += 0.5 * a[:, :, k] * b[:, :, k - 1]
    return a
