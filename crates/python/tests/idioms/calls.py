"""Calls of NumPy, one a line. The names are arguments: see `arguments`."""

import numpy as np


def arguments(r):
    """What the names in the calls stand for."""
    return {
        "a": r.standard_normal((4, 5)),
        "b": r.standard_normal((4, 5)),
        "c": r.random((3, 4, 5)),
        "f": r.standard_normal((4, 5)).astype(np.float32),
        "i": r.integers(-9, 9, (4, 5)),
        "k": r.integers(0, 4, 6),
        "m": r.random((4, 5)) > 0.5,
        "n": 3,
        "p": r.random(6) + 0.5,
        "q": r.permutation(6),
        "s": 0.5,
        "u": r.integers(0, 256, (4, 5)).astype(np.uint8),
        "v": r.standard_normal(6),
        "w": np.array([1.0, np.nan, -np.inf, np.inf, -0.0, 0.0]),
        "z": r.standard_normal((4, 5)) + 1j * r.standard_normal((4, 5)),
        "e": np.zeros((0, 5)),
    }


CALLS = """
np.fmod(a, b), np.remainder(a, b), np.mod(i, 4), np.divmod(i, 4), a % 1.5, i // 4, np.floor_divide(a, b)
np.modf(a)
np.frexp(a), np.ldexp(a, n)
np.left_shift(i, 2), np.right_shift(i, 1), np.bitwise_or(i, 1), np.bitwise_xor(i, i >> 1), np.invert(m), ~i, np.bitwise_not(i)
np.logical_and(m, a > 0), np.logical_or(m, i), np.logical_xor(m, a > 0), np.logical_not(a)
np.exp2(v), np.log1p(p), np.expm1(v), np.cbrt(v), np.log2(p), np.log10(p), np.sinc(v), np.square(v), np.reciprocal(p)
np.deg2rad(v), np.rad2deg(v), np.degrees(v), np.radians(v), np.arcsinh(v), np.arccosh(p + 1), np.arctanh(p / 2)
np.sign(w), np.signbit(w), np.isnan(w), np.isinf(w), np.isfinite(w), np.nan_to_num(w), np.isposinf(w), np.isneginf(w)
np.maximum(w, 0), np.minimum(w, 0), np.fmax(w, 0), np.fmin(w, 0), np.copysign(v, w), np.heaviside(v, 0.5)
np.logaddexp(v, p), np.logaddexp2(v, p), np.hypot(v, p), np.arctan2(v, p), np.power(p, 1.5), np.float_power(p, 2)
np.gcd(i, 6), np.lcm(k, 4)
np.rint(v), np.fix(v), np.trunc(v), np.floor(v), np.ceil(v), np.round(v, 2), np.around(v), v.round(1)
a.sum(axis=(0, 1)), c.sum(axis=(0, 2)), c.max(axis=(1, 2), keepdims=True), np.prod(i, axis=1), a.prod()
a.sum(where=m), a.sum(axis=0, initial=10.0), np.max(a, where=m, initial=-1), np.min(i, axis=1, initial=0), np.any(i, where=m), a.mean(where=m)
z.sum(), z.prod(), z.mean(axis=0), z.var(), z.std(axis=1), np.abs(z).max(), z.real.sum(), z.imag.min(), z.conj().T, np.angle(z)
z * 2, z / (1 + 2j), z ** 2, z == z.T.T, np.exp(z), np.sqrt(z), np.log(z), abs(z), -z, z.astype(np.complex64), np.iscomplexobj(z), z + i
np.sin(z), np.cos(z), np.tan(z), np.sinh(z), np.cosh(z), np.tanh(z)
a.var(), a.std(axis=0, ddof=1), a.var(axis=1, keepdims=True), f.mean(), f.sum(axis=0), f.std(), np.var(i, axis=0)
np.argmax(a), a.argmin(axis=1), np.argmax(i, axis=0, keepdims=True), np.nanargmax(w[:2]), np.argmax(m), u.argmin()
np.cumsum(a), a.cumsum(axis=0), np.cumprod(v), np.cumsum(u), np.cumsum(i, axis=-1, dtype=np.float32), np.nancumsum(w[:2])
np.diff(a), np.diff(a, axis=0), np.diff(v, 2), np.ediff1d(v), np.diff(v, prepend=0), np.diff(v, append=[1.0, 2.0]), np.diff(m)
np.gradient(v), np.gradient(v, 0.5), np.gradient(a, axis=1), np.gradient(a), np.gradient(v, p.cumsum())
np.trapezoid(v), np.trapezoid(v, dx=0.1), np.trapezoid(v, x=p.cumsum()), np.trapezoid(a, axis=0)
np.linalg.norm(v), np.linalg.norm(v, 1), np.linalg.norm(v, np.inf), np.linalg.norm(a, axis=0), np.linalg.norm(a, "fro"), np.linalg.norm(v, 3), np.linalg.norm(a, 1), np.linalg.norm(v, 0), np.linalg.norm(z)
np.cross(a[:, :3], b[:, :3]), np.kron(v, p), np.kron(a, b[:2, :2]), np.vdot(v, p), np.inner(a, b), np.outer(v, p)
np.vander(v, 3), np.polyval([1, 2, 3], v), np.polyval(p, 2.0)
np.convolve(v, p), np.convolve(v, [1, 2], "same"), np.convolve(v, p[:2], mode="valid"), np.correlate(v, p, "full")
np.tri(3), np.tri(3, 4, k=1), np.tril(a), np.triu(a, 1), np.eye(3, 4, k=1), np.identity(3), np.diag(v), np.diag(a[:, :4]), np.diag(v, 1), np.diagflat(v), a.diagonal(1)
np.linspace(0, 1, 5), np.linspace(0, 1, 4, endpoint=False), np.logspace(0, 2, 5), np.geomspace(1, 8, 4), np.arange(3), np.arange(0, 1, 0.25), np.arange(5, 0, -2), np.arange(3.0), np.arange(n, dtype=np.float32)
np.atleast_1d(s), np.atleast_2d(v), np.atleast_3d(a), np.expand_dims(a, 0), np.squeeze(a[None]), a[None].squeeze(0), np.expand_dims(v, (0, 2))
np.block([[a, b], [b, a]]), np.block([v, p])
np.broadcast_arrays(v, a[:1, :1]), np.broadcast_to(v, (2, 6))
np.rot90(a), np.rot90(a, 2), np.fliplr(a), np.flipud(a), np.flip(a), np.flip(a, 1), np.flip(c, (0, 2))
np.roll(v, 2), np.roll(a, 1), np.roll(a, -1, axis=1), np.roll(a, (1, 2), axis=(0, 1)), np.roll(a, 1, (0, 1))
np.concatenate([v, p]), np.concatenate((a, b), axis=1), np.concatenate((a, b), axis=None), np.stack((a, b)), np.stack((a, b), axis=-1), np.hstack((v, p)), np.vstack((v, p)), np.dstack((a, b)), np.column_stack((v, p)), np.append(v, 1.0), np.append(a, b, axis=0)
np.c_[v, p], np.r_[v, 0.0, p], np.r_[0:3], np.r_[v[0], p[1]]
np.split(v, 2), np.split(a, 2, axis=0), np.array_split(v, 4), np.hsplit(a[:, :4], 2), np.vsplit(a, 2), np.split(v, [1, 4])
np.repeat(v, 2), np.repeat(a, 2, axis=0), np.repeat(v, k), np.tile(v, 2), np.tile(a, (2, 1))
np.insert(v, 1, 9.0), np.delete(v, 2), np.insert(a, 0, 1.0, axis=1), np.delete(a, 1, axis=0), np.delete(v, [0, 2])
np.pad(v, 1), np.pad(a, ((1, 2), (0, 1)), constant_values=2.0), np.pad(a, 1, mode="edge"), np.pad(v, (2, 1), "reflect"), np.pad(v, 2, "wrap"), np.pad(v, 1, "symmetric")
np.take(v, k), np.take(a, [0, 2], axis=1), a.take(k), np.take(v, k + 4, mode="wrap"), np.take_along_axis(a, np.argmax(a, axis=1, keepdims=True), axis=1), np.take_along_axis(a, a.argmin(axis=0)[None], 0)
np.choose(k[:4], [v[:4], p[:4], v[1:5], p[2:]]), np.compress(v > 0, v), np.extract(m, a), np.compress(m[0], a, axis=1), np.select([v < 0, v > 1], [v, v**2], -1.0), np.where(m, a, b), np.where(m), np.where(v > 0, 1, 0), np.piecewise(v, [v < 0, v >= 0], [-1, 1])
np.nonzero(m), np.flatnonzero(v > 0), np.argwhere(m), np.count_nonzero(m), np.count_nonzero(m, axis=0), m.nonzero()
np.array_equal(a, b), np.array_equal(a, a.copy()), np.allclose(a, a + 1e-12), np.isclose(a, b)
np.unravel_index(7, (4, 5)), np.unravel_index(np.argmax(a), a.shape), np.ravel_multi_index((1, 2), (4, 5)), np.unravel_index(k, (2, 3))
np.isin(k, [1, 3])
np.searchsorted(np.arange(6.0), v), np.searchsorted(np.arange(4), k, side="right"), np.digitize(v, [-1.0, 0.0, 1.0]), np.bincount(k), np.bincount(k, weights=p), np.bincount(k, minlength=8), np.histogram(v, bins=4), np.histogram(v, [-1, 0, 1]), np.interp([0.5, 1.5], np.arange(6.0), v)
np.meshgrid(v, p), np.meshgrid(v[:2], p[:3], indexing="ij"), np.indices((2, 3)), np.mgrid[0:2, 0:3], np.ogrid[0:2, 0:3], np.mgrid[0:1:3j], np.fromfunction(lambda x, y: x + y, (2, 3)), np.ix_([0, 1], [1, 2])
a[np.ix_([0, 2], [1, 3])], a[[0, 2]], a[:, [1, 3]], a[[0, 1], [2, 3]], a[m], a[m[:, 0]], a[..., 1], a[:, None, 1], a[1:3, ::-1], a[-1], a[:, -1], v[v > 0].sum(), v[k][:2], a[k[:2], 1:3], a[0:1], a[1:, 1:][0], c[:, 0], c[..., None, 0], c[0, ..., 1], c[[0, 1], :, [1, 2]]
a.T, c.transpose(1, 0, 2), np.swapaxes(c, 0, 1), np.moveaxis(c, 0, -1), np.rollaxis(c, 2), a.reshape(2, -1), a.ravel(), a.flatten(), a.reshape(-1), np.ravel(a, order="F"), a.flatten("F"), a.reshape((5, 4), order="F"), np.matrix_transpose(c), c.mT, np.moveaxis(c, [0, 1], [1, 0])
a.astype(int), a.astype("f4"), u.astype(np.int16) - 300, i.astype(bool), a.astype(np.float64, copy=False), m.astype(np.uint8), m.astype(float), u + 1, u * 2, u - u.T.T, -u, u / 2, u // 7, u ** 2, i ** 2, 2 ** k, u > 100, m + m, m * 2, m & True, i & 3, u << 1, u >> 1, u % 7, f * 2, f + s, f * a, u + i, k / 2
np.average(v, weights=p), np.average(a, axis=0), np.average(a, axis=1, weights=b[0] ** 2), np.ptp(a), np.ptp(a, axis=0), np.nansum(w[:2]), np.nanmean(w[:2]), np.nanmax(w), np.nanmin(w), np.nanstd(w[:2]), np.nanvar(a)
np.cov(a), np.cov(v, p), np.corrcoef(a), np.corrcoef(v, p)[0, 1], np.cov(a, rowvar=False), np.cov(a, bias=True)
np.add.reduce(a), np.add.reduce(a, axis=1), np.multiply.reduce(v), np.maximum.reduce(a, axis=None), np.add.accumulate(v), np.maximum.accumulate(a, axis=1), np.add.outer(v, p), np.subtract.outer(v, p), np.logical_or.reduce(m), np.bitwise_or.reduce(k), np.minimum.outer(v, p), np.add.reduceat(v, [0, 2, 4]), np.logical_and.reduce((m, m, ~m)), np.bitwise_xor.accumulate(k), np.multiply.outer(v, k)
np.einsum("ij,ij->i", a, b), np.einsum("ij,kj->ik", a, b), np.einsum("ii->i", a[:, :4]), np.einsum("ii", a[:, :4]), np.einsum("i,i", v, p), np.einsum("ij->ji", a), np.einsum("ijk,jk->i", c, a), np.einsum("...j->...", a), np.einsum("i,j->ij", v, p), np.einsum("ij,jk,kl->il", a, a.T, b), np.einsum("ij,ij", a, b, optimize=True), np.einsum("ij,jk", z, z.T)
np.tensordot(a, b, 2), np.tensordot(a, b, axes=((0,), (0,))), np.tensordot(c, a, axes=([1, 2], [0, 1])), np.tensordot(v, p, 0), np.dot(a, b.T), np.dot(v, p), np.dot(a, v[:5]), np.dot(2, v), a @ b.T, v[:5] @ b.T, np.matmul(c, a.T), np.linalg.matrix_power(a[:, :4], 3), np.linalg.multi_dot([a, b.T, a]), np.vecdot(a, b), np.dot(z, z.T), z @ z.conj().T, i @ i.T, m @ m.T
np.array([1, 2, 3]), np.array([[1.0, 2], [3, 4]]), np.array((1, 2.5)), np.array([v[0], v[1]]), np.array([v, p]), np.array([]), np.array(3.5), np.array([True, False]), np.array([1, 2], dtype=np.float32), np.array(v), np.asarray(v, dtype=np.float32), np.array([1 + 2j, 3]), np.array([[v[0], 0], [0, 1]]), np.array(v, copy=True, ndmin=2), np.asarray([v[0]]), np.zeros((2,) + v.shape), np.array([[n, n + 1], [0, 1]])
np.zeros(n), np.ones((2, n)), np.full((2, 2), s), np.full(3, 7), np.full_like(a, 2), np.zeros_like(a, dtype=int), np.ones_like(i), np.empty(0), np.zeros((n, n), dtype=bool), np.zeros((), dtype=float), np.full(n, np.nan), np.zeros(v.shape[0] + 1, v.dtype), np.empty_like(v, shape=(2, 0)), np.ones(3, "complex128"), np.zeros(2, np.complex64), np.full(2, 1j)
a.max(), a.min(axis=0), a.any(), a.all(axis=1), m.sum(), m.all(), a.mean(), a.clip(0, 1), a.clip(min=0), np.clip(a, -1, None), np.clip(i, 0, 5), np.clip(u, 10, 100), a.dot(b.T), a.trace(), a.size, a.shape, a.ndim, a.repeat(2), v.item(0), v[1].item(), a.item(1, 2)
np.finfo(np.float64).eps, np.finfo(np.float32).max, np.finfo(v.dtype).tiny, np.iinfo(np.int32).max, np.iinfo(k.dtype).min, np.finfo(float).min, np.pi, np.e, np.inf, np.euler_gamma, np.iinfo("u1").max, np.finfo(f.dtype).eps
np.isscalar(s), np.ndim(a), np.shape(a), np.size(a), np.size(a, 0), np.result_type(f, a) == np.float64, np.isrealobj(a), np.iscomplex(z[:, 0]), np.issubdtype(a.dtype, np.floating)
np.vectorize(lambda x: x * 2 + 1)(v), np.apply_along_axis(np.sum, 1, a), np.apply_along_axis(lambda r: r.max() - r.min(), 0, a)
np.lib.stride_tricks.sliding_window_view(v, 3), np.lib.stride_tricks.sliding_window_view(a, (2, 2)).sum(axis=(2, 3)), np.lib.stride_tricks.sliding_window_view(a, 2, axis=0).max(axis=-1)
np.real(z), np.imag(z), np.conj(z), np.conjugate(z), z.real, z.imag, np.absolute(z), np.isnan(z), z.T, z[1:], z[m], z.reshape(-1), z.sum(axis=0), z.copy(), np.vdot(z, z), np.where(m, z, 0), np.maximum(z.real, 0), z * a, z - 1, 1 / z, z.round(2), np.roll(z, 1), np.concatenate((z, z)), z.cumsum(), np.diff(z), np.outer(z[0], z[1]), z[0].dot(z[1]), z[..., 0]
e.sum(), e.sum(axis=0), e.mean(axis=1), e.shape, np.concatenate((e, a)), e.any(), e.all(), e.prod(), a[0:0].sum(), a[4:].shape, e * 2, e @ a.T, v[6:], np.cumsum(e)
np.triu_indices(3), np.tril_indices(3, -1), np.diag_indices(3), a[:4, :4][np.triu_indices(4, 1)]
np.nan, np.isnan(np.nan), np.sum([1, 2, 3]), np.max([v[0], 1.0]), np.mean((1.0, 2.0)), np.sum((v, p), axis=0), np.abs(-3), np.sqrt(2), np.exp(1.0), np.floor(2.7), np.maximum(1, 2), np.dot([1, 2], [3, 4]), np.prod(a.shape), np.mean([a, b], axis=0), np.array([a, b]).shape
np.unwrap(v), np.angle(z[0]), np.ptp(v), np.flip(v)[:2], np.resize(v, (2, 2)), np.fliplr(a)[:, ::2]
np.array_equal(a.astype(np.float32), f), np.all(a == a), (a > 0) & (b > 0), (a > 0) | ~(b > 0), a == b, a != b, a >= 0, not m.any(), (a > 0).any(axis=1), m ^ (a > 0), (a > 0) * a, a * (a > 0), -m.astype(int), abs(a), +a, a ** -1.0, 2.0 ** a, a ** 2, a ** 3, a // 1, a @ a.T, divmod(i, 3), i ** 0, u ** 2.0, f ** 2, 1 - m
np.packbits(m), np.unpackbits(u), np.packbits(m, axis=1), np.unpackbits(u, axis=1), np.bitwise_count(u)
np.fft.fftfreq(6), np.hanning(5), np.hamming(5), np.blackman(4), np.bartlett(5), np.sinc(v)
np.add(a, b, where=m, out=np.zeros_like(a)), np.sqrt(p, out=np.empty(6)), np.divide(a, b, out=np.zeros((4, 5)), where=b > 0), np.add(u, u, dtype=np.int64), np.log(a, where=a > 0, out=np.full(a.shape, -1.0)), np.exp(f), np.sum(a, out=np.empty(5), axis=0), np.cumsum(v, out=np.empty(6)), np.clip(a, 0, 1, out=np.empty_like(a)), np.matmul(a, b.T, out=np.empty((4, 4))), np.maximum(a, 0, a.copy())
""".strip().splitlines()

STATEMENTS = """
a.fill(2.5)
a[:] = 0; a[1] = b[2]; a[:, 0] = 1; a[a > 0.5] = -1
a[m] = 0; a[~m] += 1; a[m] *= b[m]
a[0, :] += 1; a[:, 1] -= b[:, 1]; a[1:, 1:] /= 2; a **= 2; i //= 2; i %= 3; u >>= 1; u |= 1; u &= 15; m ^= True; i <<= 1
a[:, 0:1] *= 2; a[0:1] += 1; a[-1:] = 3; a[..., 0] = 9; a[None][0, 0] = 4
np.add.at(v, k, 1.0); np.subtract.at(v, q, p); np.multiply.at(v, [0, 0], 2); np.maximum.at(v, k, 0.5)
v[k] += 1; v[q] = p; v[[0, 1]] = v[[1, 0]]; a[[0, 1], [1, 2]] = 7; a[np.ix_([0, 2], [1, 3])] = 5; a[k[:2]] = 1
np.put(v, [0, 2], [1.0, 2.0]); np.put(a, 3, 9.0); np.place(a, m, [1.0, 2.0]); np.copyto(b, a); np.copyto(b, 0, where=m); np.putmask(a, a > 0, b); np.fill_diagonal(a, 1.0)
np.put_along_axis(a, np.argmax(b, axis=1)[:, None], 0, axis=1)
a.flat[3] = 1; a.flat = 2; a.ravel()[2] = 5; a.reshape(-1)[::2] = 0; a.T[1] = 3; a.reshape(5, 4)[0] = 8
a[::-1] = a.copy(); v[:] = v[::-1]; v[1:] = v[:-1]; v[:-1] += v[1:]; v[::2], v[1::2] = v[1::2].copy(), v[::2].copy()
z.real = 0; z.imag[0] = 1; z[0] *= 1j; z += 1; z.real += a; z[m] = 0; z[0, 0] = 1 + 2j; z.imag *= 2
np.add(a, b, a); np.multiply(a, 2, out=a); np.sqrt(np.abs(a), out=a); np.negative(a, a); np.logical_not(m, m); np.clip(a, 0, 1, out=a); np.exp(a, out=b)
a[0], a[1] = a[1], a[0].copy(); a[0, 0], a[1, 1] = a[1, 1], a[0, 0]; v[0] = v[1] = 3.0
x = a[1:]; x += 1; y = x.T; y[0] = 5; w2 = y[::2, 1:]; w2 -= 1; a[0] = w2[0, 0]
a[1] = 3 if n > 2 else 4; a[2] = np.arange(5); a[3] = [1, 2, 3, 4, 5]; a[:2, :2] = [[1, 2], [3, 4]]
with np.errstate(divide="ignore", invalid="ignore"): a /= b
for x in a: x += 1
for x, y in zip(a, b): x -= y
for j in range(a.shape[1]): a[:, j] = np.cumsum(a[:, j])
for x in (a, b): x *= 2
for row in range(a.shape[0]): a[row] -= a[row].mean()
for j in k: v[j] += 1
for (j, l), x in np.ndenumerate(a): b[j, l] = x * j + l
for j, l in np.ndindex(a.shape): a[j, l] += j * l
for j in np.nditer(k): v[j] += 1
for j in range(0, 6, 2): v[j], v[j + 1] = v[j + 1], v[j]
v[3:] = 0; v[:3][1:] = 1; v[10:] = 5; v[-2:] += 1; v[4:2] = 9
a[e.shape[0]:1] += 1; e += 1; e[:, 0] = 1; e[:, 0:1] *= 2; e[e > 0] = 1
""".strip().splitlines()
