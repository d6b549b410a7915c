"""Levels lie on the first axis of the arrays in between, so that slices are contiguous."""
import numpy as np
from numexpr import evaluate


def kernel(field, diffusivity, dz, dt):
    levels = field.shape[2]
    f = np.ascontiguousarray(np.moveaxis(field, 2, 0))
    d = np.ascontiguousarray(np.moveaxis(diffusivity, 2, 0))
    ratio = dt / dz**2 * 0.5
    below, above = d[1:], d[:-1]
    flow = evaluate("ratio * (below + above)")
    upper = np.empty_like(f)
    work = np.empty_like(f)
    nothing = np.zeros(f.shape[1:])
    for k in range(levels):
        here = f[k]
        down = flow[k - 1] if k > 0 else nothing
        up = flow[k] if k < levels - 1 else nothing
        upper_before, work_before = (upper[k - 1], work[k - 1]) if k > 0 else (nothing, nothing)
        pivot = evaluate("1.0 / (1.0 + up + down + down * upper_before)")
        evaluate("-up * pivot", out=upper[k])
        evaluate("(here + down * work_before) * pivot", out=work[k])
    for k in range(levels - 2, -1, -1):
        here, factor, after = work[k], upper[k], work[k + 1]
        evaluate("here - factor * after", out=here)
    field[...] = np.moveaxis(work, 0, 2)
