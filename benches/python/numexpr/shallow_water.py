from numexpr import evaluate


def kernel(h, u, v, steps, g=9.81, dt=0.01, dx=1.0):
    ui, vi = u[:, 1:-1], v[1:-1, :]
    right, left, below, above = h[:, 1:], h[:, :-1], h[1:, :], h[:-1, :]
    ur, ul, vb, va = u[:, 1:], u[:, :-1], v[1:, :], v[:-1, :]
    for t in range(steps):
        evaluate("ui - g * dt / dx * (right - left)", out=ui)
        evaluate("vi - g * dt / dx * (below - above)", out=vi)
        evaluate("h - dt / dx * 10.0 * (ur - ul + vb - va)", out=h)
        if t % 5 == 0:
            u *= 0.999
            v *= 0.999
    return h.sum(), evaluate("sum(u * u)") + evaluate("sum(v * v)")
