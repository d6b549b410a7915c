"""Functions that make arrays, give elements other places, or find places."""


def tri(N, M=None, k=0, dtype=np.float64):
    return np.tril(np.ones((N, N if M is None else M), dtype), k)


def diagflat(v, k=0):
    return np.diag(np.ravel(v), k)


def logspace(start, stop, num=50, endpoint=True, base=10.0):
    return np.power(base, np.linspace(start, stop, num, endpoint))


def geomspace(start, stop, num=50, endpoint=True):
    made = np.power(10.0, np.linspace(np.log10(float(start)), np.log10(float(stop)), num, endpoint))
    made[:1] = start
    if endpoint:
        made[-1:] = stop
    return made


def array(object, dtype=None, copy=True, *, ndmin=0):
    made = np.array(object, dtype)
    return np.reshape(made, (1,) * (ndmin - made.ndim) + made.shape)


def atleast_3d(a):
    a = np.asarray(a)
    return a[..., None] if a.ndim == 2 else a[None, :, None] if a.ndim == 1 else np.reshape(a, (1, 1, 1)) if a.ndim == 0 else a


def depth(arrays):
    return 1 + max([np.depth(one) for one in arrays]) if isinstance(arrays, tuple) else 0


def block(arrays):
    levels = np.depth(arrays)
    return np.block_inside(arrays, levels, levels)


def block_inside(arrays, level, levels):
    if level == 0:
        one = np.asarray(arrays)
        return np.reshape(one, (1,) * (levels - one.ndim) + one.shape)
    return np.concatenate([np.block_inside(one, level - 1, levels) for one in arrays], axis=-level)


def rot90(m, k=1, axes=(0, 1)):
    k = k % 4
    if k == 0:
        return m[...]
    if k == 2:
        return np.flip(m, axes)
    if k == 1:
        return np.swapaxes(np.flip(m, axes[1]), axes[0], axes[1])
    return np.flip(np.swapaxes(m, axes[0], axes[1]), axes[1])


def dstack(tup):
    return np.concatenate([np.atleast_3d(one) for one in tup], axis=2)


def c_(*parts):
    columns = [np.reshape(one, (-1, 1)) if np.ndim(one) < 2 else one for one in parts]
    return np.concatenate(columns, axis=-1)


def r_(*parts):
    return np.concatenate([np.atleast_1d(one) for one in parts], axis=0)


def grid_axis(start, stop, step):
    start = 0 if start is None else start
    step = 1 if step is None else step
    if isinstance(step, complex):
        return np.linspace(start, stop, int(abs(step)))
    return np.arange(start, stop, step)


def mgrid(*axes):
    return axes[0] if len(axes) == 1 else np.stack(np.meshgrid(*axes, indexing="ij"))


def ogrid(*axes):
    return axes[0] if len(axes) == 1 else np.ix_(*axes)


def part_along(a, axis, start, stop):
    return a[(slice(None),) * (axis % a.ndim) + (slice(start, stop),)]


def split(ary, indices_or_sections, axis=0):
    n = ary.shape[axis]
    if np.ndim(indices_or_sections) == 0:
        assert n % indices_or_sections == 0
        return np.array_split(ary, indices_or_sections, axis)
    starts, stops = (0,) + tuple(indices_or_sections), tuple(indices_or_sections) + (n,)
    return [np.part_along(ary, axis, start, stop) for start, stop in zip(starts, stops)]


def array_split(ary, indices_or_sections, axis=0):
    if np.ndim(indices_or_sections) > 0:
        return np.split(ary, indices_or_sections, axis)
    sections = indices_or_sections
    each, more = divmod(ary.shape[axis], sections)
    starts = [k * each + min(k, more) for k in range(sections + 1)]
    return [np.part_along(ary, axis, starts[k], starts[k + 1]) for k in range(sections)]


def hsplit(ary, indices_or_sections):
    return np.split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


def vsplit(ary, indices_or_sections):
    return np.split(ary, indices_or_sections, 0)


def repeat_each(a, repeats, axis):
    if axis is None:
        return np.repeat_each(np.ravel(a), repeats, 0)
    ends = np.cumsum(repeats)
    assert len(repeats) == a.shape[axis]
    places = np.searchsorted(ends, np.arange(np.sum(repeats)), side="right")
    return a[(slice(None),) * (axis % a.ndim) + (places,)]


def delete_places(arr, obj, axis):
    if axis is None:
        return np.delete_places(np.ravel(arr), obj, 0)
    keeps = np.ones(arr.shape[axis], bool)
    keeps[obj if isinstance(obj, slice) else np.asarray(obj)] = False
    return np.compress(keeps, arr, axis)


def take(a, indices, axis=None, out=None, *, mode="raise"):
    a, indices = np.asarray(a), np.asarray(indices)
    n = a.size if axis is None else a.shape[axis]
    if mode == "wrap":
        indices = indices % n
    elif mode == "clip":
        indices = np.clip(indices, 0, n - 1)
    return np.take(a, indices, axis)


def places_along(arr, indices, axis):
    axis = axis % arr.ndim
    others = [np.reshape(np.arange(n), (1,) * at + (-1,) + (1,) * (arr.ndim - at - 1)) for at, n in enumerate(arr.shape)]
    return tuple([indices if at == axis else other for at, other in enumerate(others)])


def take_along_axis(arr, indices, axis):
    return arr.ravel()[indices] if axis is None else arr[np.places_along(arr, indices, axis)]


def put_along_axis(arr, indices, values, axis):
    if axis is None:
        arr.flat[indices] = values
    else:
        arr[np.places_along(arr, indices, axis)] = values


def compress(condition, a, axis=None):
    places = np.flatnonzero(condition)
    return np.ravel(a)[places] if axis is None else a[(slice(None),) * (axis % a.ndim) + (places,)]


def extract(condition, arr):
    return np.ravel(arr)[np.flatnonzero(condition)]


def place(arr, mask, vals):
    places, vals = np.flatnonzero(mask), np.ravel(vals)
    arr.flat[places] = vals[np.arange(len(places)) % len(vals)]


def putmask(a, mask, values):
    places, values = np.flatnonzero(mask), np.ravel(values)
    a.flat[places] = values[places % len(values)]


def put(a, ind, v):
    places, values = np.ravel(ind), np.ravel(v)
    a.flat[places] = values[np.arange(len(places)) % len(values)]


def copyto(dst, src, casting="same_kind", where=True):
    if where is True:
        dst[...] = src
    else:
        dst[...] = np.where(where, src, dst)


def appended(a, row):
    if a.shape[0] == 0:
        made = row
    else:
        made = np.concatenate((a, row))
    return made


def fromiter(iter, dtype, count=-1):
    return np.array(iter, dtype)


def argwhere(a):
    return np.stack(np.nonzero(a), axis=1)


def array_equal(a1, a2):
    a1, a2 = np.asarray(a1), np.asarray(a2)
    if a1.ndim != a2.ndim:
        return False
    if a1.shape != a2.shape:
        return False
    return bool(np.all(a1 == a2))


def unravel_index(indices, shape):
    rest = np.asarray(indices)
    found = ()
    for n in reversed(shape if np.ndim(shape) else (shape,)):
        found = (rest % n,) + found
        rest = rest // n
    assert np.all(rest == 0)
    return found


def ravel_multi_index(multi_index, dims):
    place = 0
    for at, n in zip(multi_index, dims):
        assert np.all((0 <= np.asarray(at)) & (np.asarray(at) < n))
        place = place * n + np.asarray(at)
    return place


def isin(element, test_elements, invert=False):
    found = np.any(np.asarray(element)[..., None] == np.ravel(test_elements), axis=-1)
    return ~found if invert else found


def rollaxis(a, axis, start=0):
    axis, start = axis % a.ndim, start if start >= 0 else start + a.ndim
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


def matrix_transpose(x):
    return np.swapaxes(x, -1, -2)


def triu_indices(n, k=0, m=None):
    return np.nonzero(np.triu(np.ones((n, n if m is None else m), bool), k))


def tril_indices(n, k=0, m=None):
    return np.nonzero(np.tril(np.ones((n, n if m is None else m), bool), k))


def triu_indices_from(arr, k=0):
    return np.triu_indices(arr.shape[0], k, arr.shape[1])


def tril_indices_from(arr, k=0):
    return np.tril_indices(arr.shape[0], k, arr.shape[1])


def diag_indices(n, ndim=2):
    return (np.arange(n),) * ndim


def resize(a, new_shape):
    flat, size = np.ravel(a), 1
    for n in new_shape if np.ndim(new_shape) else (new_shape,):
        size = size * n
    return np.reshape(flat[np.arange(size) % len(flat)], new_shape)


def packbits(a, axis=None, bitorder="big"):
    rows = np.ravel(a) if axis is None else np.moveaxis(a, axis, -1)
    n = rows.shape[-1]
    bits = np.zeros(rows.shape[:-1] + ((n + 7) // 8 * 8,), np.uint8)
    bits[..., :n] = rows != 0
    order = np.arange(7, -1, -1) if bitorder == "big" else np.arange(8)
    bits = bits.reshape(rows.shape[:-1] + ((n + 7) // 8, 8)) << order.astype(np.uint8)
    packed = np.sum(bits, axis=-1).astype(np.uint8)
    return packed if axis is None else np.moveaxis(packed, -1, axis)


def unpackbits(a, axis=None, bitorder="big"):
    rows = np.ravel(a) if axis is None else np.moveaxis(a, axis, -1)
    order = np.arange(7, -1, -1) if bitorder == "big" else np.arange(8)
    bits = (rows[..., None] >> order.astype(np.uint8)) & 1
    bits = bits.reshape(rows.shape[:-1] + (8 * rows.shape[-1],))
    return bits if axis is None else np.moveaxis(bits, -1, axis)


def ndim(a):
    return 0 if a is None else np.asarray(a).ndim


def shape(a):
    return np.asarray(a).shape


def size(a, axis=None):
    return np.asarray(a).size if axis is None else np.asarray(a).shape[axis]


def vectorized(pyfunc, *args):
    arrays = np.broadcast_arrays(*args)
    flat = [np.ravel(one) for one in arrays]
    n = flat[0].shape[0]
    made = np.empty(n, np.asarray(pyfunc(*[one[0] for one in flat])).dtype)
    for k in range(n):
        made[k] = pyfunc(*[one[k] for one in flat])
    return np.reshape(made, arrays[0].shape)


def apply_along_axis(func1d, axis, arr, *args):
    if arr.ndim == 1:
        return func1d(arr, *args)
    rows = np.moveaxis(arr, axis, -1)
    flat = np.reshape(rows, (-1, rows.shape[-1]))
    first = np.asarray(func1d(flat[0], *args))
    made = np.empty((flat.shape[0],) + first.shape, first.dtype)
    for k in range(flat.shape[0]):
        made[k] = func1d(flat[k], *args)
    made = np.reshape(made, rows.shape[:-1] + first.shape)
    return made if first.ndim == 0 else np.moveaxis(made, -1, axis)
