"""The sum of the products x * y where x is above a half."""


def main(x, y):
    large = x > 0.5
    return x[large] @ y[large]
