"""Functions that `frit build` compiled. They take and return NumPy arrays, and raise `Error` where the program fails.

Several threads may call them. The environment variable FRIT_THREADS says on how many threads each call runs.
"""

import ctypes as _c
import os as _os
import sys as _sys
import threading as _threading

import numpy as _np


class Error(RuntimeError):
    """A failure of the program, such as an index that is out of bounds."""


class _Argument(_c.Structure):
    _fields_ = [("elements", _c.c_void_p), ("shape", _c.POINTER(_c.c_int64)), ("given", _c.c_int32)]


class _Result(_c.Structure):
    _fields_ = [
        ("elements", _c.c_void_p),
        ("shape", _c.POINTER(_c.c_int64)),
        ("owner", _c.c_void_p),
        ("scalar", _c.c_uint64),
    ]


_library = _c.CDLL(_os.path.join(_os.path.dirname(_os.path.abspath(__file__)), LIBRARY))


def _converted(value, name, dtype, extents):
    """The argument as a contiguous array of this type; `extents` is None for a scalar."""
    if dtype == "char":
        dtype = "uint32"
        if isinstance(value, str):
            value = _np.frombuffer(value.encode("utf-32-le"), dtype="<u4")
            value = value[0] if extents is None and len(value) == 1 else value
    array = _np.asarray(value)
    wanted = _np.dtype(dtype)
    rank = 0 if extents is None else len(extents)
    if array.ndim != rank:
        raise ValueError(f"`{name}` has {array.ndim} dimensions, but needs {rank}")
    for axis, extent in enumerate(extents or ()):
        if extent is not None and array.shape[axis] != extent:
            raise ValueError(f"extent {axis} of `{name}` is {array.shape[axis]}, but has to be {extent}")
    if array.dtype != wanted and not (array.size == 0 and array.dtype == _np.float64):
        converted = array.astype(wanted)
        is_whole = array.dtype.kind in "iu" and wanted.kind in "iub"
        if not _np.can_cast(array.dtype, wanted, "safe") and not (is_whole and (converted == array).all()):
            raise TypeError(f"`{name}` has elements of type {array.dtype}, which do not fit into {wanted}")
        array = converted
    # A scalar is an array of one element here.
    return _np.ascontiguousarray(array, dtype=wanted).reshape(array.shape)


class _Function:
    def __init__(self, name, named, params, shared, results, first):
        self.named, self.params, self.shared = named, params, shared
        self.results, self.first = results, first
        self.lock = _threading.Lock()
        self.context = None

        def function(suffix, result, *arguments):
            found = getattr(_library, name + suffix)
            found.restype, found.argtypes = result, list(arguments)
            return found

        self.open = function("_open", _c.c_void_p, _c.c_int)
        self.call = function("_call", _c.c_int, _c.c_void_p, _c.POINTER(_Argument), _c.POINTER(_Result))
        self.release = function("_release", None, _c.c_void_p, _c.c_void_p)
        self.message = function("_message", _c.c_char_p, _c.c_void_p)

    def __call__(self, *values):
        arrays = [None] * len(self.params)
        for (name, places), value in zip(self.named, values):
            parts = (value,) if len(places) == 1 else tuple(value)
            if len(parts) != len(places):
                raise ValueError(f"`{name}` consists of {len(places)} arrays: give a tuple of so many")
            for place, part in zip(places, parts):
                arrays[place] = _converted(part, name, *self.params[place])
        arguments = (_Argument * max(len(arrays), 1))()
        kept = []
        for at, (dtype, extents) in enumerate(self.params):
            array = arrays[at]
            if array is None:
                array = _np.array(arrays[dtype].shape[extents], dtype=_np.int64)
            shape = (_c.c_int64 * max(array.ndim, 1))(*array.shape)
            kept.append((array, shape))
            arguments[at] = _Argument(array.ctypes.data, shape, 0)
        self.check_extents(arrays)
        results = (_Result * max(len(self.results), 1))()
        shapes = [(_c.c_int64 * max(rank or 0, 1))() for _, rank in self.results]
        for result, shape in zip(results, shapes):
            result.shape = shape
        with self.lock:
            if self.context is None:
                threads = int(_os.environ.get("FRIT_THREADS") or _os.cpu_count() or 1)
                self.context = self.open(max(threads, 1))
                if not self.context:
                    raise MemoryError("the program cannot start")
            if self.call(self.context, arguments, results) != 0:
                raise Error(self.message(self.context).decode())
            made = [self.made(*given) for given in zip(self.results, results, shapes)]
        made = made[self.first :]
        return made[0] if len(made) == 1 else tuple(made) or None

    def check_extents(self, arrays):
        """Arrays that share an extent in the program have to agree on it."""
        for source, axis, other, other_axis in self.shared:
            one, two = arrays[source].shape[axis], arrays[other].shape[other_axis]
            if one != two:
                names = {place: name for name, places in self.named for place in places}
                raise ValueError(f"`{names[source]}` has extent {one} where `{names[other]}` has {two}")

    def made(self, kind, result, shape):
        """A result as an array of its own, or as a number."""
        dtype, rank = kind
        numpy_type = _np.dtype("uint32" if dtype == "char" else dtype)
        if rank is None:
            number = _np.frombuffer(int(result.scalar).to_bytes(8, _sys.byteorder), dtype=numpy_type)[0].item()
            return chr(number) if dtype == "char" else number
        extents = tuple(shape[:rank])
        array = _np.empty(extents, dtype=numpy_type)
        if array.nbytes:
            _c.memmove(array.ctypes.data, result.elements, array.nbytes)
        if result.owner:
            self.release(self.context, result.owner)
        return array.astype("<u4").tobytes().decode("utf-32-le") if dtype == "char" and rank == 1 else array
