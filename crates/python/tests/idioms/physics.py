"""Particles, fields, finance and numerical methods."""

import math
import sys
from math import asin, cos, radians, sin, sqrt

import numpy as np

from . import case

EARTH = {"radius": 6371.0, "flattening": 1 / 298.257}
COEFFICIENTS = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]
MAX = sys.float_info.max


def acceleration(pos, mass, G, softening):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    return np.hstack((ax, ay, az))


@case(lambda r: (r.random((5, 1)), r.random((5, 3)), r.random((5, 3)), 4, 0.01))
def nbody(mass, pos, vel, N, dt, G=1.0, softening=0.1):
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = acceleration(pos, mass, G, softening)
    KE = np.ndarray(N + 1, dtype=np.float64)
    KE[0] = 0.5 * np.sum(np.reshape(mass, (5, 1)) * vel**2)
    for i in range(N):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(pos, mass, G, softening)
        vel += acc * dt / 2.0
        KE[i + 1] = 0.5 * np.sum(mass * vel**2)
    return KE, pos[...]


@case(lambda r: (r.random((6, 2)), 0.3))
def pair_forces(x, cutoff):
    n = x.shape[0]
    force = np.zeros((n, 2))
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = x[i] - x[j]
            r2 = (d * d).sum()
            if not r2 < cutoff:
                continue
            inv = 1.0 / (r2 + 0.1)
            energy += inv
            force[i] += inv * d
            force[j] -= inv * d
    return energy, force


@case(lambda r: (r.random((6, 2)),))
def distances(X):
    diff = X[:, np.newaxis, :] - X[np.newaxis, :, :]
    d1 = np.sqrt(np.sum(diff**2, axis=-1))
    d2 = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    sq = np.sum(X**2, axis=1)
    d3 = sq[:, None] + sq[None, :] - 2 * X @ X.T
    np.fill_diagonal(d3, 0.0)
    iu = np.triu_indices(X.shape[0], k=1)
    return d1, d2, np.sqrt(np.abs(d3)), d1[iu]


@case(lambda r: (0.1, 1.2, 2.3, -0.7))
def haversine(lat1, lon1, lat2, lon2):
    """Distance along a great circle."""
    lat1, lon1, lat2, lon2 = map(radians, (lat1, lon1, lat2, lon2))
    dlat, dlon = lat2 - lat1, lon2 - lon1
    a = sin(dlat / 2) ** 2 + cos(lat1) * cos(lat2) * sin(dlon / 2) ** 2
    return 2 * EARTH["radius"] * asin(sqrt(a))


@case(lambda r: (r.random(6), r.random(6), r.random(6), r.random(6)))
def arc_distance(theta_1, phi_1, theta_2, phi_2):
    temp = np.sin((theta_2 - theta_1) / 2) ** 2 + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    distance_matrix = 2 * (np.arctan2(np.sqrt(temp), np.sqrt(1 - temp)))
    return distance_matrix


def cnd(d):
    a1, a2, a3, a4, a5 = COEFFICIENTS
    K = 1.0 / (1.0 + 0.2316419 * np.abs(d))
    ret = 0.3989422804014327 * np.exp(-0.5 * d * d) * (K * (a1 + K * (a2 + K * (a3 + K * (a4 + K * a5)))))
    return np.where(d > 0, 1.0 - ret, ret)


@case(lambda r: (r.random(8) * 30 + 5, r.random(8) * 30 + 5, r.random(8) * 5 + 0.2))
def black_scholes(S, X, T, *, R=0.02, V=0.3):
    sqrtT = np.sqrt(T)
    d1 = (np.log(S / X) + (R + 0.5 * V * V) * T) / (V * sqrtT)
    d2 = d1 - V * sqrtT
    expRT = np.exp(-R * T)
    call = S * cnd(d1) - X * expRT * cnd(d2)
    put = X * expRT * (1.0 - cnd(d2)) - S * (1.0 - cnd(d1))
    return call, put


@case(lambda r: (100.0, 95.0, 1.0, 0.05, 0.2, 10))
def binomial_option(S, K, T, r, sigma, n):
    dt = T / n
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    p = (math.exp(r * dt) - d) / (u - d)
    values = np.maximum(S * d ** np.arange(n, -1, -1) * u ** np.arange(0, n + 1, 1) - K, 0)
    for i in np.arange(n, 0, -1):
        values = math.exp(-r * dt) * (p * values[1 : i + 1] + (1 - p) * values[0:i])
    return values[0]


@case(lambda r: (r.standard_normal((5, 12)), 100.0, 105.0))
def asian_option(z, S0, K):
    paths = S0 * np.exp(np.cumsum(0.01 * z - 0.5e-4, axis=1))
    paths = np.hstack([np.full((paths.shape[0], 1), S0), paths])
    payoff = np.maximum(paths.mean(axis=1) - K, 0.0)
    return payoff.mean(), payoff.std(ddof=1) / np.sqrt(len(payoff)), np.max(np.maximum.accumulate(paths, axis=1)[:, -1])


@case(lambda r: (np.array([1.0, 1.0, 1.0]), 0.01, 20))
def lorenz_rk4(state, dt, n, sigma=10.0, rho=28.0, beta=8.0 / 3.0):
    def f(s):
        x, y, z = s
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    out = np.empty((n + 1, 3))
    out[0] = state
    for i in range(n):
        k1 = f(state)
        k2 = f(state + 0.5 * dt * k1)
        k3 = f(state + 0.5 * dt * k2)
        k4 = f(state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
        out[i + 1, :] = state
    return out


def rk4_step(f, t, y, h, *args):
    k1 = h * f(t, y, *args)
    k2 = h * f(t + h / 2, y + k1 / 2, *args)
    k3 = h * f(t + h / 2, y + k2 / 2, *args)
    k4 = h * f(t + h, y + k3, *args)
    return y + (k1 + 2 * k2 + 2 * k3 + k4) / 6


def pendulum(t, y, b, c):
    theta, omega = y[0], y[1]
    return np.array([omega, -b * omega - c * np.sin(theta)])


@case(lambda r: (np.array([3.0, 0.0]), 15))
def integrate_pendulum(y0, n):
    ts = np.linspace(0, 1, n)
    ys = [y0]
    y = y0
    h = ts[1] - ts[0]
    for t in ts[:-1]:
        y = rk4_step(pendulum, t, y, h, 0.25, 5.0)
    return y, ys[0]


@case(lambda r: (r.integers(0, 2, (3, 20)) * 2 - 1,))
def random_walk(steps):
    position = np.cumsum(steps, axis=1)
    hits = np.abs(position) >= 3
    crossing = hits.any(1)
    first = hits.argmax(axis=1)
    return position, np.where(crossing, first, -1), position.max(), position.min(axis=0)


@case(lambda r: (6, np.linspace(-1, 1, 7)))
def legendre(n, x):
    p = np.zeros((n + 1, len(x)))
    p[0] = 1.0
    p[1] = x
    for k in range(1, n):
        p[k + 1] = ((2 * k + 1) * x * p[k] - k * p[k - 1]) / (k + 1)
    return p


@case(lambda r: (8,))
def chebyshev(n):
    k = np.arange(n + 1)
    x = np.cos(np.pi * k / n)
    c = np.hstack([2, np.ones(n - 1), 2]) * (-1) ** k
    X = np.tile(x, (n + 1, 1)).T
    dX = X - X.T
    D = np.outer(c, 1.0 / c) / (dX + np.eye(n + 1))
    return D - np.diag(D.sum(axis=1)), x


@case(lambda r: (r.random((4, 3, 3)) + 1j * r.random((4, 3, 3)), r.random((4, 3, 3)) + 0j))
def self_energies(G, D):
    Sigma = np.zeros_like(G)
    for k in range(G.shape[0]):
        for w in range(2):
            if k - w >= 0:
                dHG = G[k - w] @ D[k]
                Sigma[k] += dHG @ D[w].conj().T
    return Sigma, Sigma.imag.sum(), np.abs(Sigma).max()


@case(lambda r: (r.random(8) * 3, r.random((8, 2)) - 0.5))
def contour(radius, q):
    theta = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    z = radius * np.exp(1j * theta)
    P0 = np.zeros((2, 2), dtype=np.complex128)
    P1 = np.zeros((2, 2), dtype=complex)
    for zk in z:
        Tz = np.zeros((2, 2), dtype=np.complex128)
        for n in range(4):
            zz = np.power(zk, n)
            Tz += zz * q[n : n + 2]
        if abs(zk) < 1.0:
            X = -Tz
        else:
            X = Tz
        P0 += X
        P1 += zk * X
    return P0, P1


@case(lambda r: (-2.0, 0.5, -1.25, 1.25, 9, 7, 10))
def mandelbrot_dense(xmin, xmax, ymin, ymax, xn, yn, itermax, horizon=2.0):
    X = np.linspace(xmin, xmax, xn, dtype=np.float64)
    Y = np.linspace(ymin, ymax, yn, dtype=np.float64)
    C = X + Y[:, None] * 1j
    N = np.zeros(C.shape, dtype=np.int64)
    Z = np.zeros(C.shape, dtype=np.complex128)
    for n in range(itermax):
        I = np.less(abs(Z), horizon)
        N[I] = n
        Z[I] = Z[I] ** 2 + C[I]
    N[N == itermax - 1] = 0
    return Z, N


@case(lambda r: (-2.0, 0.5, -1.25, 1.25, 9, 7, 10))
def mandelbrot_shrinking(xmin, xmax, ymin, ymax, xn, yn, itermax, horizon=2.0):
    Xi, Yi = np.mgrid[0:xn, 0:yn]
    X = np.linspace(xmin, xmax, xn)[Xi]
    Y = np.linspace(ymin, ymax, yn)[Yi]
    C = X + Y * 1j
    N_ = np.zeros(C.shape, dtype=np.int64)
    Z_ = np.zeros(C.shape, dtype=np.complex128)
    Xi.shape = Yi.shape = C.shape = xn * yn
    Z = np.zeros(C.shape, np.complex128)
    for i in range(itermax):
        if not len(Z):
            break
        np.multiply(Z, Z, Z)
        np.add(Z, C, Z)
        I = abs(Z) > horizon
        N_[Xi[I], Yi[I]] = i + 1
        Z_[Xi[I], Yi[I]] = Z[I]
        np.logical_not(I, I)
        Z = Z[I]
        Xi, Yi = Xi[I], Yi[I]
        C = C[I]
    return Z_.T, N_.T


@case(lambda r: (r.random((9, 4)) * 100, 5))
def go_fast(a, n):
    trace = 0.0
    for i in range(a.shape[1]):
        trace += np.tanh(a[i, i])
    return a + trace


@case(lambda r: (r.random(40) * 5, r.random(40), 6))
def azimuthal(radius, data, npt):
    rmax = radius.max()
    res = np.zeros(npt, dtype=np.float64)
    for i in range(npt):
        r1 = rmax * i / npt
        r2 = rmax * (i + 1) / npt
        mask_r12 = np.logical_and((r1 <= radius), (radius < r2))
        values_r12 = data[mask_r12]
        on_values = 0.0
        if values_r12.size:
            on_values = values_r12.mean()
        res[i] = on_values
    return res


@case(lambda r: (r.random(30),), lambda r: (r.random(30).astype(np.float32),))
def newton_roots(c):
    x = np.ones_like(c)
    tol = np.finfo(c.dtype).eps * 4
    for it in range(60):
        f = x * x - c
        step = f / (2 * x)
        x -= step
        if np.all(np.abs(step) <= tol * np.abs(x)):
            break
    return x


@case(lambda r: (0.0, 1.0, 20))
def simpson(a, b, n):
    f = lambda t: t**3 - math.cos(t)
    h = (b - a) / n
    s = f(a) + f(b)
    for i in range(1, n, 2):
        s += 4 * f(a + i * h)
    for i in range(2, n - 1, 2):
        s += 2 * f(a + i * h)
    x = np.linspace(a, b, n + 1)
    y = x**3 - np.cos(x)
    weights = np.ones(n + 1)
    weights[1:-1:2] = 4
    weights[2:-1:2] = 2
    return s * h / 3, (weights * y).sum() * h / 3, np.trapezoid(y, x)


@case(lambda r: (0.5, 2.0))
def bisection(lo, hi, tol=1e-8):
    def g(x):
        return x * x - 2.0

    if g(lo) * g(hi) > 0:
        raise ValueError("the interval does not bracket a root")
    count = 0
    while True:
        mid = (lo + hi) / 2
        if hi - lo < tol:
            return mid, count
        if g(lo) * g(mid) <= 0:
            hi = mid
        else:
            lo = mid
        count += 1


@case(lambda r: (r.integers(-1, 1, (6, 6)) * 2 + 1, r.random((3, 6, 6))))
def ising(spins, randoms):
    N = spins.shape[0]
    energy = 0
    for sweep in randoms:
        for i in range(N):
            for j in range(N):
                s = spins[i, j]
                nb = spins[(i + 1) % N, j] + spins[i, (j + 1) % N] + spins[(i - 1) % N, j] + spins[i, (j - 1) % N]
                cost = 2 * s * nb
                if cost < 0:
                    s *= -1
                elif sweep[i, j] < np.exp(-cost * 0.4):
                    s *= -1
                spins[i, j] = s
        energy += -(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1))).sum()
    return energy


@case(lambda r: (r.random(20), MAX))
def smallest_gap(x, best):
    where = -1
    for i in range(1, x.size):
        gap = abs(x[i] - x[i - 1])
        if gap < best:
            best, where = gap, i
    assert isinstance(best, float)
    return best, where


@case(lambda r: (r.random((6, 3)), r.random(3)))
def rays_and_sphere(origin, centre, radius=0.6):
    direction = np.array([0.0, 0.0, 1.0])
    oc = origin - centre
    b = 2.0 * np.dot(oc, direction)
    c = (oc**2).sum(axis=1) - radius**2
    disc = b**2 - 4 * c
    t = np.full(b.shape, np.inf)
    hit = disc > 0
    t[hit] = (-b[hit] - np.sqrt(disc[hit])) / 2
    point = origin + np.where(hit, t, 0.0)[:, None] * direction[None, :]
    normal = (point - centre) / np.linalg.norm(point - centre, axis=1, keepdims=True)
    return np.where(hit[:, None], normal, 0), np.isinf(t).sum()
