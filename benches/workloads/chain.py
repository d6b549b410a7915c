"""Six operations on whole vectors, then the sum of squares."""


def main(x, y):
    a = 2.5 * x + y
    b = a * x
    c = b - y
    d = 0.5 * c + x
    e = d * y
    h = e + x
    return (h * h).sum()
