"""The least and the greatest element."""


def main(x):
    return x.min(), x.max()
