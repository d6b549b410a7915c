import numpy as np
from numexpr import evaluate


def accelerations(pos, mass, G, softening):
    x, y, z = (np.ascontiguousarray(c) for c in pos.T)
    xt, yt, zt = x[:, None], y[:, None], z[:, None]
    m = mass[:, 0]
    d2 = evaluate("(x - xt)**2 + (y - yt)**2 + (z - zt)**2 + softening**2")
    f = evaluate("where(d2 > 0, G * m / (d2 * sqrt(d2)), 0.0)", out=d2)
    return np.stack((evaluate("sum((x - xt) * f, axis=1)"), evaluate("sum((y - yt) * f, axis=1)"), evaluate("sum((z - zt) * f, axis=1)")), axis=1)


def energy(pos, vel, mass, G):
    x, y, z = (np.ascontiguousarray(c) for c in pos.T)
    xt, yt, zt = x[:, None], y[:, None], z[:, None]
    m, mt = mass[:, 0], mass
    kinetic = evaluate("sum(mass * vel**2)")
    r = evaluate("sqrt((x - xt)**2 + (y - yt)**2 + (z - zt)**2)")
    return 0.5 * kinetic, -0.5 * G * evaluate("sum(where(r > 0, m * mt / r, 0.0))")


def kernel(mass, pos, vel, steps, dt, G, softening):
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = accelerations(pos, mass, G, softening)
    ke = np.empty(steps + 1)
    pe = np.empty(steps + 1)
    ke[0], pe[0] = energy(pos, vel, mass, G)
    for i in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = accelerations(pos, mass, G, softening)
        vel += acc * dt / 2.0
        ke[i + 1], pe[i + 1] = energy(pos, vel, mass, G)
    return ke, pe
