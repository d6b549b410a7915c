"""A Fourier transform of a power of two, by reshapes and transposes."""
import numpy as np


def kernel(x):
    n = x.shape[0]
    y = x.reshape(n, 1).astype(np.complex128)
    length = n
    while length > 1:
        half = length // 2
        twiddle = np.exp(-2j * np.pi * np.arange(half) / length).reshape(half, 1)
        top = y[:half]
        bottom = y[half:]
        y = np.concatenate((top + bottom, (top - bottom) * twiddle), axis=1).reshape(half, -1)
        length = half
    return y.ravel()


def arguments(n, rng):
    return (rng.random(n) + 1j * rng.random(n),)


SIZES = {"test": 32, "bench": 1048576}
