"""Kernels that CuPy generates: the elementwise kernels of its ufuncs, from its own code generator and headers,
compiled by NVRTC for sm_80. NumPy's function of the same name computes what has to come out."""

import os
import re
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
import cupy  # noqa: E402  (warns that there is no driver)
from cupy._core import _kernel  # noqa: E402

import common  # noqa: E402
from cupy._core._carray import Indexer  # noqa: E402
from nvrtc_kernels import compile_text  # noqa: E402

INCLUDE = os.path.join(os.path.dirname(cupy.__file__), "_core", "include")
FLAGS = ("-I" + INCLUDE, "-I" + os.path.join(INCLUDE, "cupy", "_cccl", "libcudacxx"), "-I" + os.path.join(INCLUDE, "cupy", "_cccl", "thrust"),
         "-I" + os.path.join(INCLUDE, "cupy", "_cccl", "cub"), "-DCUPY_JITIFY_MODE=0", "-default-device")
N = 300
rng = np.random.default_rng(9)

# ufuncs, and the types of the loop of each that is taken
UNARY = """sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh exp expm1 exp2 log log1p log2 log10 sqrt cbrt square
absolute negative reciprocal sign floor ceil trunc rint fabs signbit isnan isinf isfinite logical_not invert deg2rad rad2deg conjugate""".split()
BINARY = """add subtract multiply divide true_divide floor_divide remainder fmod power maximum minimum fmax fmin arctan2 hypot logaddexp logaddexp2
copysign nextafter bitwise_and bitwise_or bitwise_xor left_shift right_shift logical_and logical_or logical_xor
greater greater_equal less less_equal equal not_equal gcd lcm""".split()
MOST = ("int32", "float32", "float64")  # the others: one ufunc in five
EXACT = """add subtract multiply divide true_divide negative absolute floor ceil trunc rint fabs maximum minimum fmax fmin sqrt
square reciprocal sign copysign nextafter conjugate fmod""".split()
HEADERS = """#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <cupy/atomics.cuh>
#include <cupy/math_constants.h>
"""
TYPES = "int8 int32 int64 uint32 float16 float32 float64 complex64".split()


def operand(name, place, dtype):
    kind = np.dtype(dtype).kind
    if kind in "iu":
        low = 1 if place or kind == "u" or name == "reciprocal" else -100
        return rng.integers(low, 8 if name in ("left_shift", "right_shift", "power") else 100, N).astype(dtype)
    if kind == "c":
        return (rng.standard_normal(N) + 1j * rng.standard_normal(N)).astype(dtype)
    v = rng.uniform(0.05, 0.95, N) if place == 0 or name == "power" else rng.uniform(-3, 3, N)
    return v.astype(dtype)


def source(ufunc, op, name):
    """The CUDA C++ that CuPy would compile for one-dimensional contiguous arrays."""
    dtypes = [np.dtype(t) for t in op.in_types + op.out_types]
    names = [f"in{i}_type" for i in range(ufunc.nin)] + [f"out{i}_type" for i in range(ufunc.nout)]
    infos = tuple(_kernel._ArgInfo(1, cupy.ndarray, d, 1, True, True) for d in dtypes)
    infos += (_kernel._ArgInfo(2, Indexer, np.dtype(np.int32), 1, True, True),)
    params = ufunc._params
    types = _kernel._TypeMap(tuple(zip(names, dtypes)))
    code = _kernel._get_elementwise_kernel_code(infos, types, ufunc._params, op.routine, name, ufunc._preamble)
    # The placeholder T is each operand's own type in a ufunc.
    code = re.sub(r"\bT &(in\d+|out\d+)", r"\1_type &\1", code)
    return HEADERS + code


def compile_loop(name, dtype):
    ufunc = getattr(cupy, name)
    for op in ufunc._ops.ops:
        if not op.routine or np.dtype(op.in_types[0]) != dtype or any(np.dtype(t) != dtype for t in op.in_types):
            continue
        kernel = f"cupy_{name}__{dtype}"
        return kernel, op, compile_text(source(ufunc, op, kernel), kernel + ".cu", "80", FLAGS)
    return None


def case(name, dtype):
    try:
        loop = compile_loop(name, dtype)
    except Exception as e:
        print("cupy:", name, dtype, type(e).__name__, str(e)[:300], file=sys.stderr)
        return
    if loop is None:
        return
    kernel, op, ptx = loop
    path = common.save_ptx("cupy", kernel, ptx)
    args = [operand(name, i, dtype) for i in range(len(op.in_types))]
    out = np.dtype(op.out_types[0])
    exact = out.kind in "iub" or name in EXACT and np.dtype(dtype).kind != "c"
    wide = args if exact or np.dtype(dtype).kind in "iu" else [a.astype({"f": np.float64, "c": np.complex128}[a.dtype.kind]) for a in args]
    with np.errstate(all="ignore"):
        want = getattr(np, name)(*wide)
    arrays = [common.Struct(a, N, N, a.itemsize) for a in args] + [common.Struct(np.zeros(N, out), N, N, out.itemsize)]
    arrays.append(common.Struct(None, N, N, 0))
    tolerance = 0.0 if exact else {2: 4e-3, 4: 1e-5, 8: 1e-12}[out.itemsize // (2 if out.kind == "c" else 1)]
    common.save_launch(path, kernel, (3,), (128,), arrays, {len(args): want.astype(out)}, 0, tolerance, tolerance)


def main():
    for dtype in TYPES:
        for name in UNARY + BINARY:
            if name == "nextafter" and dtype == "complex64":
                continue
            if (dtype in MOST) or rng.random() < 0.2:
                case(name, dtype)


main()
