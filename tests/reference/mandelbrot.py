"""Escape times of the Mandelbrot set, with Python's complex numbers."""

from l0_text import arguments, show

width, height, limit = arguments("mandelbrot")


def escape_time(c):
    z, time = 0j, 0
    while time < limit and z.real * z.real + z.imag * z.imag <= 4:
        z, time = z * z + c, time + 1
    return time


show(
    [
        [
            escape_time(complex(-2 + 3 * (column + 0.5) / width, -1.2 + 2.4 * (row + 0.5) / height))
            for column in range(width)
        ]
        for row in range(height)
    ]
)
