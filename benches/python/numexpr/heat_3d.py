from numexpr import evaluate


def step(u, out):
    c = u[1:-1, 1:-1, 1:-1]
    a, b = u[2:, 1:-1, 1:-1], u[:-2, 1:-1, 1:-1]
    d, e = u[1:-1, 2:, 1:-1], u[1:-1, :-2, 1:-1]
    f, g = u[1:-1, 1:-1, 2:], u[1:-1, 1:-1, :-2]
    evaluate("0.125 * (a + b + d + e + f + g) + 0.25 * c", out=out[1:-1, 1:-1, 1:-1])


def kernel(tsteps, a, b):
    for _ in range(1, tsteps):
        step(a, b)
        step(b, a)
