"""Convolution with periodic borders, element by element."""

from arrays import indices, moved, scattered


def relax(a, shape):
    def mean(iv):
        total = a[iv]
        for axis in range(len(shape)):
            total += a[moved(iv, axis, -1, shape)] + a[moved(iv, axis, 1, shape)]
        return total / (2 * len(shape) + 1)

    return {iv: mean(iv) for iv in indices(shape)}


for shape in [100], [24, 30], [8, 9, 10]:
    a, steps = scattered(shape), 0
    while True:
        b, a = a, relax(a, shape)
        steps += 1
        if not any(abs(a[iv] - b[iv]) > 0.0001 for iv in a):
            break
    print(f"{steps} steps: {min(a.values()):.8f} to {max(a.values()):.8f}, sum {sum(a.values()):.8f}")
