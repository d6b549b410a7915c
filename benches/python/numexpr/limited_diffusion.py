from numexpr import evaluate


def kernel(f, out, k):
    c, n, s, w, e = f[:, 1:-1, 1:-1], f[:, :-2, 1:-1], f[:, 2:, 1:-1], f[:, 1:-1, :-2], f[:, 1:-1, 2:]
    lap = evaluate("n + s + w + e - 4 * c")
    a, b, x, y = lap[:, 1:-1, 1:], lap[:, 1:-1, :-1], c[:, 1:-1, 1:], c[:, 1:-1, :-1]
    fx = evaluate("where((a - b) * (x - y) > 0, 0.0, a - b)")
    a, b, x, y = lap[:, 1:, 1:-1], lap[:, :-1, 1:-1], c[:, 1:, 1:-1], c[:, :-1, 1:-1]
    fy = evaluate("where((a - b) * (x - y) > 0, 0.0, a - b)")
    a, b, x, y, inner = fx[:, :, 1:], fx[:, :, :-1], fy[:, 1:, :], fy[:, :-1, :], f[:, 2:-2, 2:-2]
    evaluate("inner - k * (a - b + x - y)", out=out)
