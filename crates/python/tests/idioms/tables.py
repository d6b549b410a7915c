"""Dynamic programming, integers, bits, images and sequences."""

import numpy as np

from . import case

TABLE_SIZE = 256
POLY = 0xEDB88320


@case(lambda r: (r.integers(1, 20, (6, 6)),))
def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


@case(lambda r: (r.integers(0, 4, 8).astype(np.int32),))
def nussinov(seq):
    N = seq.shape[0]
    table = np.zeros((N, N), np.int32)
    for i in range(N - 1, -1, -1):
        for j in range(i + 1, N):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < N:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < N:
                if i < j - 1:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1] + (1 if seq[i] + seq[j] == 3 else 0))
                else:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


@case(lambda r: (r.integers(0, 3, 6), r.integers(0, 3, 8)))
def needleman_wunsch(a, b, match=1, mismatch=-1, gap=-2):
    n, m = len(a), len(b)
    score = np.zeros((n + 1, m + 1), dtype=np.int64)
    score[:, 0] = gap * np.arange(n + 1)
    score[0] = np.linspace(0, gap * m, m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            s = match if a[i - 1] == b[j - 1] else mismatch
            score[i, j] = max(score[i - 1, j - 1] + s, score[i - 1, j] + gap, score[i, j - 1] + gap)
    i, j = n, m
    matches = 0
    while i > 0 and j > 0:
        if score[i, j] == score[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch):
            matches += int(a[i - 1] == b[j - 1])
            i, j = i - 1, j - 1
        elif score[i, j] == score[i - 1, j] + gap:
            i -= 1
        else:
            j -= 1
    return score, matches


@case(lambda r: (r.integers(0, 3, 6), r.integers(0, 3, 8)))
def edit_distance(s, t):
    prev = np.arange(len(t) + 1)
    for i in range(len(s)):
        cur = np.empty_like(prev)
        cur[0] = i + 1
        for j in range(len(t)):
            cost = 0 if s[i] == t[j] else 1
            cur[j + 1] = min(cur[j] + 1, prev[j + 1] + 1, prev[j] + cost)
        prev = cur
    return prev[-1]


@case(lambda r: (r.integers(0, 3, 6), r.integers(0, 3, 7)))
def longest_common(x, y):
    c = np.zeros((x.size + 1, y.size + 1), int)
    for i, xi in enumerate(x):
        for j, yj in enumerate(y, 1):
            c[i + 1, j] = c[i, j - 1] + 1 if xi == yj else max(c[i, j], c[i + 1, j - 1])
    return c[-1, -1]


@case(lambda r: (np.array([3, 4, 5, 9]), np.array([3, 4, 4, 10]), 11))
def knapsack(w, v, cap):
    best = np.zeros(cap + 1, dtype=w.dtype)
    for wi, vi in zip(w, v):
        new = best.copy()
        new[wi:] = np.maximum(best[wi:], best[: cap + 1 - wi] + vi)
        best = new
    return best


@case(lambda r: (r.integers(0, 256, 12).astype(np.uint8), 0x8408))
def crc16(data, poly):
    crc = 0xFFFF
    for b in data:
        cur_byte = 0xFF & b
        for _ in range(0, 8):
            if (crc & 0x0001) ^ (cur_byte & 0x0001):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            cur_byte >>= 1
    crc = ~crc & 0xFFFF
    crc = (crc << 8) | ((crc >> 8) & 0xFF)
    return crc & 0xFFFF


def crc_table():
    table = np.zeros(TABLE_SIZE, dtype=np.uint32)
    for i in range(TABLE_SIZE):
        c = i
        for _ in range(8):
            c = (c >> 1) ^ POLY if c & 1 else c >> 1
        table[i] = c
    return table


@case(lambda r: (r.integers(0, 256, 12, dtype=np.uint8),))
def crc32(data):
    table = crc_table()
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc = table[(crc ^ byte) & np.uint32(0xFF)] ^ (crc >> np.uint32(8))
    return crc ^ np.uint32(0xFFFFFFFF)


@case(lambda r: (60,))
def sieve(n):
    flags = np.ones(n + 1, dtype=bool)
    flags[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if flags[i]:
            flags[i * i :: i] = False
    return np.nonzero(flags)[0], np.flatnonzero(flags).size


@case(lambda r: (50,))
def collatz(limit):
    longest, start = 0, 1
    for n in range(1, limit):
        length, x = 1, n
        while x != 1:
            q, rest = divmod(x, 2)
            x = q if rest == 0 else 3 * x + 1
            length += 1
        if length > longest:
            longest, start = length, n
    return longest, start


@case(lambda r: (252, 105))
def greatest_divisor(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


@case(lambda r: (20,))
def fibonacci(n):
    f = np.empty(n, np.int64)
    f[:2] = 0, 1
    for i in range(2, n):
        f[i] = f[i - 1] + f[i - 2]
    m = np.array([[1, 1], [1, 0]])
    p = np.eye(2, dtype=m.dtype)
    k = n
    while k > 0:
        if k & 1:
            p = p @ m
        m = m @ m
        k >>= 1
    return f, p[0, 1]


@case(lambda r: (6,))
def pascal(n):
    rows = np.zeros((n, n), dtype="i8")
    rows[:, 0] = 1
    for i in range(1, n):
        rows[i, 1 : i + 1] = rows[i - 1, 1 : i + 1] + rows[i - 1, :i]
    return rows


@case(lambda r: (5,))
def magic_square(n):
    i, j = np.indices((n, n))
    a = (i + j - n // 2 + n) % n
    b = (i + 2 * j - 1 + n) % n
    square = n * a + b + 1
    return square, np.trace(square), np.rot90(square).trace(), square.sum(axis=0)


@case(lambda r: (5,))
def spiral(n):
    a = np.zeros((n, n), int)
    x, y, dx, dy = 0, 0, 1, 0
    for k in range(n * n):
        a[y, x] = k
        nx, ny = x + dx, y + dy
        if 0 <= nx < n and 0 <= ny < n and a[ny, nx] == 0:
            x, y = nx, ny
        else:
            dx, dy = -dy, dx
            x, y = x + dx, y + dy
    return a


@case(lambda r: (r.integers(0, 8, (6, 7)).astype(np.uint8),))
def equalised(img):
    hist = np.bincount(img.ravel(), minlength=8)
    cdf = hist.cumsum()
    cdf_min = cdf[cdf > 0].min()
    lut = np.round((cdf - cdf_min) / (img.size - cdf_min) * 7).astype(np.uint8)
    counts, edges = np.histogram(img, bins=4, range=(0, 8))
    return lut[img], counts, edges


@case(lambda r: (r.random((7, 8)),))
def sobel(img):
    gx = np.zeros_like(img)
    gy = np.zeros_like(img)
    Kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    Ky = Kx.T
    for i in range(1, img.shape[0] - 1):
        for j in range(1, img.shape[1] - 1):
            window = img[i - 1 : i + 2, j - 1 : j + 2]
            gx[i, j] = np.sum(window * Kx)
            gy[i, j] = (window * Ky).sum()
    mag = np.hypot(gx, gy)
    mag *= 255.0 / np.max(mag)
    return mag.astype(np.uint8), np.arctan2(gy, gx)


@case(lambda r: (r.random((6, 7)), 0.3))
def rotated(img, angle):
    h, w = img.shape
    cy, cx = (h - 1) / 2, (w - 1) / 2
    y, x = np.mgrid[0:h, 0:w]
    c, s = np.cos(angle), np.sin(angle)
    xs = c * (x - cx) + s * (y - cy) + cx
    ys = -s * (x - cx) + c * (y - cy) + cy
    x0 = np.floor(xs).astype(int)
    y0 = np.floor(ys).astype(int)
    fx, fy = xs - x0, ys - y0
    inside = (x0 >= 0) & (x0 < w - 1) & (y0 >= 0) & (y0 < h - 1)
    x0 = np.clip(x0, 0, w - 2)
    y0 = np.clip(y0, 0, h - 2)
    v = (
        img[y0, x0] * (1 - fx) * (1 - fy)
        + img[y0, x0 + 1] * fx * (1 - fy)
        + img[y0 + 1, x0] * (1 - fx) * fy
        + img[y0 + 1, x0 + 1] * fx * fy
    )
    return np.where(inside, v, 0.0), np.fliplr(img), np.flipud(img), np.rot90(img, 3)


@case(lambda r: (r.integers(0, 256, (5, 6, 3)).astype(np.uint8),))
def grey(rgb):
    lum = rgb[..., 0] * 0.299 + rgb[..., 1] * 0.587 + rgb[..., 2] * 0.114
    by_dot = np.dot(rgb[..., :3], [0.2989, 0.5870, 0.1140])
    r, g, b = rgb[:, :, 0], rgb[:, :, 1], rgb[:, :, 2]
    darker = (rgb * 0.5).astype(np.uint8)
    threshold = (lum > lum.mean()).astype(np.uint8) * 255
    return lum, by_dot, np.maximum(np.maximum(r, g), b), darker, threshold, 255 - rgb, rgb[::2, ::-1]


@case(lambda r: (r.random((8, 8)),))
def dithered(img):
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            old = img[y, x]
            new = np.round(old)
            img[y, x] = new
            err = old - new
            if x + 1 < w:
                img[y, x + 1] += err * 7 / 16
            if y + 1 < h:
                if x > 0:
                    img[y + 1, x - 1] += err * 3 / 16
                img[y + 1, x] += err * 5 / 16
                if x + 1 < w:
                    img[y + 1, x + 1] += err * 1 / 16
    return img


@case(lambda r: (r.random((6, 8)),))
def integral_image(img):
    s = img.cumsum(0).cumsum(1)
    s = np.pad(s, ((1, 0), (1, 0)))
    k = 3
    box = s[k:, k:] - s[:-k, k:] - s[k:, :-k] + s[:-k, :-k]
    return box / k**2


@case(lambda r: (r.random(8) + 1j * r.random(8), 3), lambda r: (r.random(16).astype(np.complex64), 4))
def stockham(x, logn):
    n = x.shape[0]
    y = x.copy().astype(np.complex128)
    for s in range(logn):
        half = n >> (s + 1)
        a = y[: n // 2].reshape(half, 1 << s)
        b = y[n // 2 :].reshape(half, 1 << s)
        w = np.exp(-2j * np.pi * np.arange(half) / (2 * half))[:, None]
        y = np.concatenate((a + b, (a - b) * w), axis=1).reshape(n)
    return y


@case(lambda r: (r.random(16),))
def dft(x):
    N = len(x)
    n = np.arange(N)
    k = n.reshape((N, 1))
    M = np.exp(-2j * np.pi * k * n / N)
    X = np.dot(M, x)
    power = (X * np.conj(X)).real
    return X, power, np.angle(X[1:3]), X.imag.max()


@case(lambda r: (r.random(12) * 10, r.permutation(256)))
def perlin_1d(x, perm):
    xi = x.astype(int) & 255
    xf = x - x.astype(int)
    u = 6 * xf**5 - 15 * xf**4 + 10 * xf**3
    g0 = np.where(perm[xi] % 2 == 0, xf, -xf)
    g1 = np.where(perm[(xi + 1) % 256] % 2 == 0, xf - 1, 1 - xf)
    return g0 + u * (g1 - g0)


@case(lambda r: (r.integers(0, 2, 24).astype(np.uint8), r.integers(0, 256, 6).astype(np.uint8)))
def bits(flags, data):
    packed = np.packbits(flags)
    unpacked = np.unpackbits(data)
    by_shift = ((data[:, None] >> np.arange(7, -1, -1, dtype=np.uint8)) & 1).astype(bool)
    ones = np.zeros(data.shape, dtype=np.int64)
    d = data.copy()
    while d.any():
        ones += d & 1
        d >>= 1
    grey_code = data ^ (data >> 1)
    return packed, unpacked, by_shift, ones, grey_code, np.bitwise_and(data, 0x0F) << 4, ~data


@case(lambda r: (r.integers(0, 10, 15),))
def run_lengths(x):
    change = np.flatnonzero(np.diff(x) != 0) + 1
    starts = np.concatenate(([0], change))
    lengths = np.diff(np.append(starts, x.size))
    return starts, lengths, x[starts], np.ediff1d(x)


@case(lambda r: (r.integers(0, 50, 10),))
def bubble_sort(a):
    n = len(a)
    for i in range(n):
        swapped = False
        for j in range(0, n - i - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


@case(lambda r: (r.integers(0, 50, 10),))
def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key


@case(lambda r: (np.sort(r.integers(0, 50, 12)), 17), lambda r: (np.arange(0, 30, 3), 12))
def binary_search(a, x):
    lo, hi = 0, len(a) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if a[mid] == x:
            return mid
        elif a[mid] < x:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


@case(lambda r: ((r.random((6, 7)) > 0.4).astype(np.int8),))
def components(grid):
    h, w = grid.shape
    label = np.where(grid == 1, np.arange(1, h * w + 1).reshape(h, w), 0)
    changed = True
    while changed:
        changed = False
        for i in range(h):
            for j in range(w):
                if label[i, j] == 0:
                    continue
                for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                    y, x = i + di, j + dj
                    if 0 <= y < h and 0 <= x < w and 0 < label[y, x] < label[i, j]:
                        label[i, j] = label[y, x]
                        changed = True
    return label


@case(lambda r: (8,))
def queens(n):
    board = np.full(n, -1)
    row = 0
    count = 0
    while row >= 0:
        board[row] += 1
        if board[row] == n:
            board[row] = -1
            row -= 1
            continue
        ok = True
        for i in range(row):
            if board[i] == board[row] or abs(board[i] - board[row]) == row - i:
                ok = False
                break
        if not ok:
            continue
        if row == n - 1:
            count += 1
        else:
            row += 1
    return count


@case(lambda r: (12, 9, 20))
def escapes(width, height, limit):
    c = np.linspace(-2.0, 1.0, width) + 1j * np.linspace(-1.0, 1.0, height)[:, np.newaxis]
    z = np.zeros(c.shape, dtype=np.complex128)
    steps = np.zeros(c.shape, dtype=np.int64)
    for _ in range(limit):
        inside = z.real * z.real + z.imag * z.imag <= 4.0
        z[inside] = z[inside] * z[inside] + c[inside]
        steps += inside
    return steps, z


@case(lambda r: (r.random(9), 5), lambda r: (np.array([np.nan, np.inf, -0.0, 3.0]), 4), lambda r: (np.zeros(0), 3))
def maps_repeated(x, n):
    y = np.zeros_like(x)
    for k in range(n):
        y = np.maximum(y * x + k, np.minimum(x, 0.5))
        x = np.where(x > 0.25, 3.7 * x * (1.0 - x), x)
    return x, y


@case(lambda r: (r.random(20), r.random(20), r.random(20)), lambda r: (np.arange(8), np.arange(8) - 3, np.arange(8) % 3))
def products_of_what_is_large(x, y, z):
    large = x > 0.5
    return x[large] @ y[large], np.dot(y[large], z[large]), (x[large] * z[large]) @ y[large]


@case(lambda r: (r.random(8) > 0.5, r.random(8), r.random(8)))
def chosen_by_an_argument(call, x, y):
    z = np.sqrt(x) * y
    return np.where(call, z - x, z + y)
