"""The Mandelbrot set by Python's complex numbers."""


def escape(c, limit):
    z, n = 0j, 0
    while n < limit and z.real * z.real + z.imag * z.imag <= 4.0:
        z = z * z + c
        n += 1
    return n


def mandelbrot(rows, columns, limit):
    def point(i, j):
        return complex(-2.0 + 3.0 * j / (columns - 1), 1.0 - 2.0 * i / (rows - 1))

    return [[escape(point(i, j), limit) for j in range(columns)] for i in range(rows)]


for row in mandelbrot(21, 64, 100):
    print("".join(" .:-=+*%@#"[min(n, 90) // 10] for n in row) + "|")
inside = sum(n == 200 for row in mandelbrot(100, 150, 200) for n in row)
print(f"{inside} of {100 * 150} points")
