"""Mean, variance, least and greatest element."""


def main(x):
    return x.mean(), x.var(), x.min(), x.max()
