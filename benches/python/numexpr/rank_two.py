from numexpr import evaluate


def kernel(a, u1, v1, u2, v2, x, y):
    p, q = u1[:, None], u2[:, None]
    evaluate("a + p * v1 + q * v2", out=a)
    x += 1.2 * (a.T @ y)
    y[:] = 1.5 * a.dot(x)
