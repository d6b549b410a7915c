"""One tool in a process of its own: it prepares programs, compares their results with NumPy's and times calls.

Requests come through a pipe: `("load", name, size, reference)` prepares a program and calls it once, `("call",)` calls it again.
NumPy's process writes the reference, a file that the others read. Answers are dictionaries: `seconds`, or `why` there are none.
"""
import copy
import importlib.util
import os
import pathlib
import pickle
import sys
import time
import types
import warnings

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def environment(threads):
    """The variables that keep every tool to so many threads."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_MAX_THREADS", "NPROC")
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen={str(threads > 1).lower()}"
    return {**dict.fromkeys(names, str(threads)), "XLA_FLAGS": flags.strip(), "JAX_PLATFORMS": "cpu"}


def set_up(tool, threads):
    """Imports a tool and sets what is not set by the environment. The folders of versions here have the names of the tools."""
    sys.path[:] = [path for path in sys.path if pathlib.Path(path or ".").resolve() != HERE]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    warnings.filterwarnings("ignore")
    np.seterr(all="ignore")
    if tool == "frit":
        import frit

        frit.config.threads = threads
    elif tool == "numba":
        import numba

        numba.njit(parallel=True)(lambda x: x + 1)(np.zeros(8))
    elif tool == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        jax.jit(lambda x: x + 1)(np.zeros(8)).block_until_ready()
    elif tool == "numexpr":
        import numexpr

        numexpr.set_num_threads(threads)


def module(path):
    """The module in a file, loaded anew."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def decorated(program, decorator):
    """The kernel of a program, with a decorator on each of its functions."""
    for name, value in list(vars(program).items()):
        if isinstance(value, types.FunctionType) and value.__module__ == program.__name__ and name != "arguments":
            setattr(program, name, decorator(value))
    return program.kernel


def prepared(tool, name):
    """The kernel as a tool runs it; None where the tool has no version of the program."""
    path, own = HERE / "programs" / f"{name}.py", HERE / tool / f"{name}.py"
    if tool == "numpy":
        return module(path).kernel
    if tool == "frit":
        import frit

        return frit.jit(module(path).kernel, strict=True)
    if own.exists():
        return module(own).kernel
    if tool == "numba":
        import numba

        return decorated(module(path), numba.njit(parallel=True, fastmath=True))
    return None


def call(tool, kernel, arguments):
    """Results, the arrays of the arguments afterwards, and the seconds that the call took. JAX gets arrays of its own."""
    arguments = copy.deepcopy(arguments)
    if tool == "jax":
        import jax

        arguments = [jax.block_until_ready(jax.device_put(a)) if isinstance(a, np.ndarray) else a for a in arguments]
        start = time.perf_counter()
        result = jax.block_until_ready(kernel(*arguments))
    else:
        start = time.perf_counter()
        result = kernel(*arguments)
    taken = time.perf_counter() - start
    return flat(result), [argument for argument in arguments if isinstance(argument, np.ndarray)], taken


def flat(value):
    """The arrays and numbers in a result, in order."""
    if isinstance(value, (tuple, list)):
        return [part for item in value for part in flat(item)]
    return [] if value is None else [np.asarray(value)]


def difference(got, expected):
    """What is unlike, in words; None if nothing is."""
    if len(got) != len(expected):
        return f"{len(got)} results, not {len(expected)}"
    for at, (g, e) in enumerate(zip(got, expected)):
        if g.shape != e.shape:
            return f"result {at} has shape {g.shape}, not {e.shape}"
        loose = e.dtype in (np.float32, np.complex64)
        if not np.allclose(g, e, rtol=2e-3 if loose else 1e-8, atol=1e-4 if loose else 1e-9, equal_nan=True):
            return f"result {at} differs by up to {np.nanmax(np.abs(np.asarray(g) - e)):.3g}"
    return None


def checked(tool, name, size, reference):
    """A function that calls the kernel and gives the seconds, and the seconds of the first call, whose results are compared with NumPy's."""
    program = module(HERE / "programs" / f"{name}.py")
    arguments = program.arguments(program.SIZES[size], np.random.default_rng(1))
    kernel = prepared(tool, name)
    if kernel is None:
        return None, None
    results, after, taken = call(tool, kernel, arguments)
    if tool == "numpy":
        before = [argument for argument in arguments if isinstance(argument, np.ndarray)]
        changed = [a for a, b in zip(after, before) if not np.array_equal(a, b, equal_nan=True)]
        pathlib.Path(reference).write_bytes(pickle.dumps((results, after, changed), protocol=5))
    else:
        expected, expected_after, changed = pickle.loads(pathlib.Path(reference).read_bytes())
        # Arrays of JAX do not change: its versions give the new ones back, after the results.
        if tool == "jax":
            wrong = difference(results, expected + changed)
        else:
            wrong = difference(results, expected) or difference(after, expected_after)
        if wrong:
            raise ValueError(f"WRONG: {wrong}")
    return lambda: call(tool, kernel, arguments)[2], taken


def serve(pipe, tool, threads):
    """Answers requests until the pipe is closed."""
    again = None
    try:
        set_up(tool, threads)
    except ImportError as error:
        return pipe.send({"why": str(error)})
    pipe.send({})
    while request := pipe.recv():
        try:
            if request[0] == "load":
                again = None
                again, taken = checked(tool, *request[1:])
            else:
                taken = again()
            pipe.send({"seconds": taken})
        except Exception as error:  # a tool may refuse in any way
            text = str(error).strip()
            why = text if text.startswith("WRONG") else f"{type(error).__name__}: {text.splitlines()[0][:100] if text else ''}"
            pipe.send({"why": why})
