"""Products, norms, polynomials, differences and statistics."""


def linalg__norm(x, ord=None, axis=None, keepdims=False):
    x = np.asarray(x)
    is_complex = x.dtype.kind == "c"
    size = x if x.dtype.kind in ("f", "c") else x.astype(np.float64)
    if ord is None or ord == "fro" or (ord == 2 and (x.ndim == 1 or np.ndim(axis) == 0 and axis is not None)):
        squares = x.real**2 + x.imag**2 if is_complex else size * size
        return np.sqrt(np.sum(squares, axis=axis, keepdims=keepdims))
    size = np.abs(size)
    if axis is None and x.ndim == 2:
        axis = (0, 1)
    if np.ndim(axis) == 1:
        row, column = axis[0] % x.ndim, axis[1] % x.ndim
        if abs(ord) == 1:
            sums, rest = np.sum(size, axis=row, keepdims=True), column
        elif abs(ord) == np.inf:
            sums, rest = np.sum(size, axis=column, keepdims=True), row
        else:
            return np.linalg.svd(x, compute_uv=False)
        made = np.max(sums, axis=axis, keepdims=keepdims) if ord > 0 else np.min(sums, axis=axis, keepdims=keepdims)
        return made
    if ord == np.inf:
        return np.max(size, axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return np.sum((size != 0).astype(size.dtype), axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(size, axis=axis, keepdims=keepdims)
    return np.sum(size**ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


def linalg__matrix_power(a, n):
    result, square = np.eye(a.shape[0], dtype=a.dtype), a
    while n > 0:
        if n % 2 == 1:
            result = result @ square
        square = square @ square
        n //= 2
    return result


def linalg__multi_dot(arrays):
    product = arrays[0]
    for one in arrays[1:]:
        product = np.dot(product, one)
    return product


def trace(a, offset=0):
    return np.sum(np.diagonal(a, offset))


def vecdot(x1, x2, axis=-1):
    return np.sum(np.conj(x1) * x2, axis=axis)


def cross(a, b, axis=-1):
    a, b = np.moveaxis(np.asarray(a), axis, -1), np.moveaxis(np.asarray(b), axis, -1)
    assert a.shape[-1] == 3 and b.shape[-1] == 3
    parts = (
        a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
        a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
        a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
    )
    return np.stack(parts, axis=axis)


def kron(a, b):
    a, b = np.asarray(a), np.asarray(b)
    axes = max(a.ndim, b.ndim)
    a = np.reshape(a, (1,) * (axes - a.ndim) + a.shape)
    b = np.reshape(b, (1,) * (axes - b.ndim) + b.shape)
    products = a[(slice(None), None) * axes] * b[(None, slice(None)) * axes]
    return products.reshape(tuple([m * n for m, n in zip(a.shape, b.shape)]))


def vander(x, N=None, increasing=False):
    x = np.asarray(x)
    n = len(x) if N is None else N
    powers = np.ones((len(x), n), np.result_type(x, 1))
    for k in range(1, n):
        powers[:, k] = powers[:, k - 1] * x
    return powers if increasing else powers[:, ::-1]


def polyval(p, x):
    x = np.asarray(x) if np.ndim(x) else x
    y = np.zeros(np.shape(x), np.result_type(np.asarray(p), x))
    for coefficient in p:
        y = y * x + coefficient
    return y


def diff(a, n=1, axis=-1, *, prepend=None, append=None):
    a = np.asarray(a)
    parts = [a]
    if prepend is not None:
        parts = [np.shaped_as_end(prepend, a, axis)] + parts
    if append is not None:
        parts = parts + [np.shaped_as_end(append, a, axis)]
    return np.diff(np.concatenate(parts, axis), n, axis)


def shaped_as_end(end, a, axis):
    if np.ndim(end) > 0:
        return end
    at = axis % a.ndim
    return np.broadcast_to(np.asarray(end), a.shape[:at] + (1,) + a.shape[at + 1 :])


def ediff1d(ary, to_end=None, to_begin=None):
    parts = [np.diff(np.ravel(ary))]
    if to_begin is not None:
        parts = [np.atleast_1d(to_begin)] + parts
    if to_end is not None:
        parts = parts + [np.atleast_1d(to_end)]
    return np.concatenate(parts)


def gradient_along(f, axis, h, edge_order):
    g = np.moveaxis(f, axis, 0)
    out = np.empty(g.shape, g.dtype)
    if np.ndim(h) == 0:
        out[1:-1] = (g[2:] - g[:-2]) / (2.0 * h)
        first, last = h, h
        if edge_order == 2:
            out[0] = (-1.5 * g[0] + 2.0 * g[1] - 0.5 * g[2]) / h
            out[-1] = (0.5 * g[-3] - 2.0 * g[-2] + 1.5 * g[-1]) / h
    else:
        steps = np.reshape(np.diff(h), (-1,) + (1,) * (f.ndim - 1))
        before, after = steps[:-1], steps[1:]
        out[1:-1] = (
            -after / (before * (before + after)) * g[:-2]
            + (after - before) / (before * after) * g[1:-1]
            + before / (after * (before + after)) * g[2:]
        )
        first, last = h[1] - h[0], h[-1] - h[-2]
        if edge_order == 2:
            d1, d2 = first, h[2] - h[1]
            out[0] = -(2.0 * d1 + d2) / (d1 * (d1 + d2)) * g[0] + (d1 + d2) / (d1 * d2) * g[1] - d1 / (d2 * (d1 + d2)) * g[2]
            d1, d2 = h[-2] - h[-3], last
            out[-1] = d2 / (d1 * (d1 + d2)) * g[-3] - (d2 + d1) / (d1 * d2) * g[-2] + (2.0 * d2 + d1) / (d2 * (d1 + d2)) * g[-1]
    if edge_order == 1:
        out[0] = (g[1] - g[0]) / first
        out[-1] = (g[-1] - g[-2]) / last
    return np.moveaxis(out, 0, axis)


def gradient(f, *varargs, axis=None, edge_order=1):
    f = np.asarray(f)
    f = f if f.dtype.kind in ("f", "c") else f.astype(np.float64)
    axes = tuple(range(f.ndim)) if axis is None else axis if np.ndim(axis) else (axis,)
    steps = (1.0,) * len(axes) if len(varargs) == 0 else varargs if len(varargs) > 1 else (varargs[0],) * len(axes)
    made = tuple([np.gradient_along(f, at, h, edge_order) for at, h in zip(axes, steps)])
    return made[0] if len(axes) == 1 else made


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = np.moveaxis(np.asarray(y), axis, -1)
    widths = dx if x is None else np.diff(np.asarray(x)) if np.ndim(x) == 1 else np.diff(np.moveaxis(np.asarray(x), axis, -1))
    return np.sum(widths * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


def trapz(y, x=None, dx=1.0, axis=-1):
    return np.trapezoid(y, x, dx, axis)


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    rows = np.atleast_2d(np.asarray(m))
    if not rowvar and np.ndim(m) > 1:
        rows = rows.T
    if y is not None:
        more = np.atleast_2d(np.asarray(y))
        rows = np.concatenate((rows, more.T if not rowvar and np.ndim(y) > 1 else more), axis=0)
    less = ddof if ddof is not None else 0 if bias else 1
    off = rows - np.mean(rows, axis=1, keepdims=True)
    made = off @ np.conj(off).T / (rows.shape[1] - less)
    return made[0, 0] if np.ndim(m) == 1 and y is None else made


def corrcoef(x, y=None, rowvar=True):
    c = np.cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    spread = np.sqrt(np.diagonal(c).real)
    return np.clip(c / spread[:, None] / spread[None, :], -1, 1)


def nanargmax(a, axis=None):
    return np.argmax(np.where(np.isnan(a), -np.inf, a), axis=axis)


def nanargmin(a, axis=None):
    return np.argmin(np.where(np.isnan(a), np.inf, a), axis=axis)


def nancumsum(a, axis=None):
    return np.cumsum(np.where(np.isnan(a), 0, a), axis=axis)


def nancumprod(a, axis=None):
    return np.cumprod(np.where(np.isnan(a), 1, a), axis=axis)


def nanvar(a, axis=None, ddof=0, keepdims=False):
    holds = ~np.isnan(a)
    known = np.where(holds, a, 0)
    count = np.sum(holds, axis=axis, keepdims=True).astype(known.dtype)
    off = np.where(holds, a - np.sum(known, axis=axis, keepdims=True) / count, 0)
    count = np.sum(holds, axis=axis, keepdims=keepdims).astype(known.dtype)
    return np.sum(off * off, axis=axis, keepdims=keepdims) / (count - ddof)


def nanstd(a, axis=None, ddof=0, keepdims=False):
    return np.sqrt(np.nanvar(a, axis, ddof, keepdims))


def complex_prod(a, axis=None):
    factors = np.moveaxis(a, axis, 0) if axis is not None else np.ravel(a)
    product = np.ones(factors.shape[1:], a.dtype)
    for factor in factors:
        product = product * factor
    return product


def complex_var(a, axis=None, ddof=0, keepdims=False):
    off = a - np.mean(a, axis=axis, keepdims=True)
    squares = off.real**2 + off.imag**2
    count = np.sum(np.ones(a.shape, squares.dtype), axis=axis, keepdims=keepdims)
    return np.sum(squares, axis=axis, keepdims=keepdims) / (count - ddof)


def complex_std(a, axis=None, ddof=0, keepdims=False):
    return np.sqrt(np.complex_var(a, axis, ddof, keepdims))


def add__reduceat(array, indices):
    indices = np.asarray(indices)
    out = np.empty(len(indices), array.dtype)
    for k in range(len(indices)):
        start, stop = indices[k], indices[k + 1] if k + 1 < len(indices) else len(array)
        out[k] = array[start] if start >= stop else np.sum(array[start:stop])
    return out


def fft__fftfreq(n, d=1.0):
    places = np.arange(n)
    return np.where(places < (n - 1) // 2 + 1, places, places - n) * (1.0 / (n * d))


def fft__rfftfreq(n, d=1.0):
    return np.arange(n // 2 + 1) * (1.0 / (n * d))


def fft__fftshift(x, axes=None):
    for axis in range(x.ndim) if axes is None else axes if np.ndim(axes) else (axes,):
        x = np.roll(x, x.shape[axis] // 2, axis)
    return x


def fft__ifftshift(x, axes=None):
    for axis in range(x.ndim) if axes is None else axes if np.ndim(axes) else (axes,):
        x = np.roll(x, -(x.shape[axis] // 2), axis)
    return x


def cosines(M, weights):
    turns = 2.0 * np.pi * np.arange(M) / max(M - 1, 1)
    return sum([weight * np.cos(k * turns) for k, weight in enumerate(weights)])


def hanning(M):
    return np.cosines(M, (0.5, -0.5)) if M != 1 else np.ones(M)


def hamming(M):
    return np.cosines(M, (0.54, -0.46)) if M != 1 else np.ones(M)


def blackman(M):
    return np.cosines(M, (0.42, -0.5, 0.08)) if M != 1 else np.ones(M)


def bartlett(M):
    half = (M - 1) / 2.0
    return 1.0 - np.abs(np.arange(M) - half) / half
