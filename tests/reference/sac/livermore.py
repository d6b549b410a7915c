"""The first eight Livermore loops, as loops over elements."""

from math import fsum


def scattered(seed, n):
    return [(k * 7919 + seed) % 1009 / 1009 for k in range(n)]


def report(loop, values):
    print(f"{loop} {fsum(values):.10g}")


n = 200
y, z, u = scattered(1, n), scattered(2, n + 20), scattered(3, n + 20)
report(1, [0.5 + y[k] * (0.25 * z[k + 10] + 0.125 * z[k + 11]) for k in range(n)])

x, v = scattered(4, 258), scattered(5, 258)
end, length = 0, 128
while length > 0:
    begin, end = end, end + length
    length //= 2
    for t, k in enumerate(range(begin + 1, end, 2)):
        x[end + t] = x[k] - v[k] * x[k - 1] - v[k + 1] * x[k + 1]
report(2, x)

report(3, [a * b for a, b in zip(y, z)])

x = scattered(6, n + n // 5)
for k in range(6, n, (n - 7) // 2):
    x[k - 1] = y[4] * (x[k - 1] - fsum(x[k - 6 + t] * y[j] for t, j in enumerate(range(4, n, 5))))
report(4, x)

x, w = y[:], scattered(7, n)
for i in range(1, n):
    x[i] = z[i] * (w[i] - x[i - 1])
report(5, x)

w, b = scattered(8, 30), [e / 30 for e in scattered(9, 900)]
for i in range(1, 30):
    w[i] = 0.01 + fsum(b[30 * i + k] * w[i - k - 1] for k in range(i))
report(6, w)

r, t = 0.5, 0.25
report(
    7,
    [
        u[k]
        + r * (z[k] + r * y[k])
        + t * (u[k + 3] + r * (u[k + 2] + r * u[k + 1]) + t * (u[k + 6] + r * (u[k + 5] + r * u[k + 4])))
        for k in range(n)
    ],
)

m, n = 12, 20
u, a = scattered(10, 3 * m * n), [e / 8 for e in scattered(11, 9)]


def at(q, i, j):
    return u[(q * m + i) * n + j]


new = u[:]
for q in range(3):
    for i in range(1, m - 1):
        for j in range(1, n - 1):
            new[(q * m + i) * n + j] = (
                at(q, i, j)
                + sum(a[3 * q + p] * (at(p, i + 1, j) - at(p, i - 1, j)) for p in range(3))
                + 0.1 * (at(q, i, j + 1) - 2 * at(q, i, j) + at(q, i, j - 1))
            )
report(8, new)
