"""Whether a compiled function did what NumPy does: results, and arguments afterwards."""

import copy
import warnings

import numpy as np

import frit


def outcome(function, arguments):
    """What a call returns, or the exception; and the arguments afterwards."""
    arguments = copy.deepcopy(arguments)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments)
        except frit.CompileError:
            raise
        except Exception as error:
            return error, arguments
    return result, arguments


def unlike(got, expected, tolerance=0.0):
    """What is unlike in two outcomes, in words; None if nothing is. Without a tolerance every bit counts, but for those of NaN."""
    if isinstance(expected[0], Exception) or isinstance(got[0], Exception):
        if isinstance(got[0], type(expected[0])) or isinstance(expected[0], type(got[0])):
            return None
        return f"{got[0]!r}, not {expected[0]!r}"
    return differing(got[0], expected[0], tolerance, "the result") or differing(got[1], expected[1], tolerance, "arguments")


def differing(got, expected, tolerance, what):
    if isinstance(expected, (tuple, list)):
        # Lists and named tuples come back as tuples.
        if not isinstance(got, (tuple, list)) or len(got) != len(expected):
            return f"{what} is {got!r}, not {expected!r}"
        parts = (differing(g, e, tolerance, f"{what}[{at}]") for at, (g, e) in enumerate(zip(got, expected)))
        return next((part for part in parts if part), None)
    if type(got) is not type(expected):
        # An array without axes is a number.
        if not (isinstance(expected, np.ndarray) and expected.ndim == 0 and isinstance(got, np.generic)):
            return f"{what} is {got!r} of {type(got)}, not {expected!r} of {type(expected)}"
    if isinstance(expected, (str, type(None), np.dtype, type)):
        return None if got == expected else f"{what} is {got!r}, not {expected!r}"
    got, expected = np.asarray(got), np.asarray(expected)
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{what} is {got.dtype}{got.shape}, not {expected.dtype}{expected.shape}"
    if not equal(got, expected, tolerance):
        return f"{what} is\n{got!r}\nnot\n{expected!r}"
    return None


def equal(got, expected, tolerance):
    if expected.dtype.kind == "c":
        # A real operand is not made complex: signs of zeros, and parts that are not finite, may differ.
        finite = np.isfinite(expected)
        parts = [np.where(finite, part, 0) + 0.0 for whole in (got, expected) for part in (whole.real, whole.imag)]
        return equal(parts[0], parts[2], tolerance) and equal(parts[1], parts[3], tolerance)
    if expected.dtype.kind != "f":
        return np.array_equal(got, expected)
    with np.errstate(all="ignore"):
        if tolerance:
            finite = np.isfinite(expected)
            scale = np.abs(expected[finite]).max(initial=1.0)
            near = np.abs(got - expected) <= tolerance * scale
            return bool(np.all(np.where(finite, near, (got == expected) | (np.isnan(got) & np.isnan(expected)))))
    both_nan = np.isnan(got) & np.isnan(expected)
    return bool(np.all(both_nan | ((got == expected) & (np.signbit(got) == np.signbit(expected)))))
