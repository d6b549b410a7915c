"""Smooths an image by a function in SAC on arrays of NumPy, and shows what became of its loops.

After `make python`: target/python/bin/python examples/python/smooth.py
"""

import numpy as np

import frit

smooth = frit.sac(
    """
double[.,.] smooth(double[.,.] a)
{
  return { [i, j] -> (a[i, j] + a[i + 1, j] + a[i, j + 1] + a[i + 1, j + 1]) / 4d
         | [i, j] < shape(a) - 1 };
}
"""
).smooth

if __name__ == "__main__":
    image = np.add.outer(np.sin(np.linspace(0.0, 9.0, 1000)), np.cos(np.linspace(0.0, 9.0, 1000)))
    calm = smooth(image)
    assert np.allclose(calm, (image[:-1, :-1] + image[1:, :-1] + image[:-1, 1:] + image[1:, 1:]) / 4)
    print(calm.shape, frit.bench(smooth, image))
    print(smooth.explain())
