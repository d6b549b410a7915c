"""The product of two matrices."""


def main(a, b):
    return a @ b
